import {
  type EndpointSlice,
  type Endpoints,
  type Node,
  objectFault,
  type Pod,
  type Service,
} from '../../endpointslice/index.ts'
import { type ApiObject, labelName, subdomainName } from '../../kubernetes/index.ts'

export interface WatchedObjects {
  readonly Service: Service
  readonly Pod: Pod
  readonly Node: Node
  readonly EndpointSlice: EndpointSlice
  readonly Endpoints: Endpoints
}
export type WatchedKind = keyof WatchedObjects

/**
 * An object that a cluster sent and that is not of the API's form; it counts as absent until it is fixed.
 */
export interface MalformedObject {
  readonly kind: WatchedKind
  /** Empty where it cannot be read. */
  readonly namespace: string
  readonly name: string
  /** Path of the fault, and the reason. */
  readonly fault: string
}

/** `namespace/name`, by which objects are remembered. */
export type ObjectKey = string & { readonly __brand: 'ObjectKey' }

/**
 * Returns the key of an object, or undefined if it has no name that the API allows; such an object is never
 * remembered.
 */
export function objectKey(kind: WatchedKind, object: ApiObject): ObjectKey | undefined {
  const { namespace, name } = namesOf(object)
  const isNamed = isRule(subdomainName, name) && (kind === 'Node' || isRule(labelName, namespace))
  return isNamed ? (`${namespace}/${name}` as ObjectKey) : undefined
}

/** Returns what the index cannot read of an object, beyond what a plan cannot. */
export function formFault<Kind extends WatchedKind>(
  kind: Kind,
  object: WatchedObjects[Kind],
): MalformedObject | undefined {
  const fault =
    objectFault(kind, object) ??
    (objectKey(kind, object) === undefined ? 'its name or namespace is not a DNS name' : undefined) ??
    (isTextMap(object.metadata?.labels) ? undefined : 'metadata.labels is not a map of strings') ??
    (kind === 'Service' && !isTextMap(selectorOf(object))
      ? 'spec.selector is not a map of strings'
      : undefined)
  return fault === undefined ? undefined : { kind, ...namesOf(object), fault }
}

const selectorOf = (object: WatchedObjects[WatchedKind]): unknown =>
  'spec' in object && object.spec !== undefined && 'selector' in object.spec
    ? object.spec.selector
    : undefined

const isRule = (rule: (value: string) => string[], value: string): boolean => rule(value).length === 0

/** Returns the names of an object, also of what is no object at all. */
function namesOf(object: ApiObject): { namespace: string; name: string } {
  const { metadata }: ApiObject = Object(object)
  const text = (value: unknown): string =>
    typeof value === 'string' && value.length <= MAX_NAME_LENGTH ? value : ''
  return { namespace: text(metadata?.namespace), name: text(metadata?.name) }
}

/** Most characters of a DNS subdomain. */
const MAX_NAME_LENGTH = 253

const isTextMap = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'object' &&
    !Array.isArray(value) &&
    Object.values(value).every((item) => typeof item === 'string'))
