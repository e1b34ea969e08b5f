import { objectFault } from '../../endpointslice/index.ts'
import { type ApiObject, labelName, type Resource, subdomainName } from '../../kubernetes/index.ts'
import { otherOwner } from '../owners/find-owner.ts'

/** An object that a cluster sent and that is not of the API's form; it counts as absent until it is fixed. */
export interface MalformedObject {
  readonly kind: string
  /** Empty where it cannot be read. */
  readonly namespace: string
  readonly name: string
  /** Path of the fault, and the reason. */
  readonly fault: string
}

/** `namespace/name`, by which objects are remembered. */
export type ObjectKey = string & { readonly __brand: 'ObjectKey' }

/** Returns the key of an object; undefined if the API does not allow its name, and it is not remembered. */
export function objectKey(
  { namespaced }: Pick<Resource, 'namespaced'>,
  object: ApiObject,
): ObjectKey | undefined {
  const { namespace, name } = namesOf(object)
  const isNamed = isRule(subdomainName, name) && (!namespaced || isRule(labelName, namespace))
  return isNamed ? (`${namespace}/${name}` as ObjectKey) : undefined
}

/** Returns what the index cannot read of an object, beyond what a plan cannot. */
export function formFault(
  resource: Pick<Resource, 'kind' | 'namespaced'>,
  object: ApiObject,
): MalformedObject | undefined {
  const { kind } = resource
  const fault =
    planFault(kind, object) ??
    (objectKey(resource, object) === undefined ? 'its name or namespace is not a DNS name' : undefined) ??
    (isTextMap(labelsOf(object)) ? undefined : 'metadata.labels is not a map of strings') ??
    (kind === 'Service' && !isTextMap(selectorOf(object))
      ? 'spec.selector is not a map of strings'
      : undefined)
  return fault === undefined ? undefined : { kind, ...namesOf(object), fault }
}

/** A faulty spec of an owner that is no Service makes its selection invalid, which keeps its slices. */
const planFault = (kind: string, object: ApiObject): string | undefined =>
  otherOwner(kind) === undefined
    ? objectFault(kind, object)
    : objectFault('Endpoints', { metadata: Object(object).metadata })

const labelsOf = ({ metadata }: ApiObject): unknown => Object(metadata).labels

const selectorOf = (object: object): unknown => Object(Object(object).spec).selector

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
