import {
  type EndpointSlice,
  type Node,
  objectFault,
  type Pod,
  type Service,
} from '../../../shared/endpointslice/index.ts'
import type { ApiObject } from '../../../shared/kubernetes/index.ts'
import { isRecord } from '../../../shared/values/index.ts'

interface Kinds {
  readonly Pod: Pod
  readonly Node: Node
  readonly Service: Service
  readonly EndpointSlice: EndpointSlice
}

/** Objects that could not be read, in words. */
export type Faults = string[]

/** Returns the objects that are of the API's form; what a plan would leave out is left out, and noted. */
export function soundObjects<Kind extends keyof Kinds>(
  kind: Kind,
  objects: readonly Kinds[Kind][],
  faults: Faults,
): Kinds[Kind][] {
  return objects.filter((object: Kinds[Kind] & ApiObject) => {
    const fault = objectFault(kind, object as never) ?? nameFault(object)
    if (fault !== undefined)
      faults.push(`${kind} ${textOf(object?.metadata?.name) ?? 'without a name'}: ${fault}`)
    return fault === undefined
  })
}

function nameFault({ metadata }: ApiObject): string | undefined {
  const { name, namespace = '' } = metadata ?? {}
  return typeof name === 'string' && typeof namespace === 'string'
    ? undefined
    : 'it has no name, or no namespace'
}

/** Returns a field that ought to be a text, and that nothing else has checked. */
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Returns the records of a field that ought to be a list of them. */
export const recordsOf = (value: unknown): Readonly<Record<string, unknown>>[] =>
  (Array.isArray(value) ? value : []).filter(isRecord)
