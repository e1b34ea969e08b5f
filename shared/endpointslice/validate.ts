import type { EndpointSlice, Node, ObjectMeta, Pod, Service } from './types.ts'

/** An object whose name was checked to be there. */
export type Named<T> = T & { metadata: ObjectMeta & { name: string } }

/** An object that a plan leaves out of account. */
export interface SkippedObject {
  readonly kind: 'Service' | 'Pod' | 'Node' | 'EndpointSlice'
  readonly namespace: string
  /** `(unnamed)` for an object without a name. */
  readonly name: string
  /**
   * `NodeNotFound`: the pod's node is not among the nodes; may heal, plan again.
   * `Malformed`: the object is not of the form that the API gives; the message says where.
   */
  readonly reason: 'NodeNotFound' | 'Malformed'
  readonly message: string
}

type Shape = Record<string, unknown>

const isRecord = (value: unknown): value is Shape =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null
const isRecords = (value: unknown): boolean =>
  isAbsent(value) || (Array.isArray(value) && value.every(isRecord))
const isStrings = (value: unknown): boolean =>
  isAbsent(value) || (Array.isArray(value) && value.every((item) => typeof item === 'string'))
const isMap = (value: unknown): boolean =>
  isAbsent(value) || (isRecord(value) && Object.values(value).every((item) => typeof item === 'string'))
const isText = (value: unknown): boolean => isAbsent(value) || typeof value === 'string'

const MALFORMED = {
  records: 'is not a list of objects',
  strings: 'is not a list of strings',
  map: 'is not a map of strings',
  text: 'is not a string',
  record: 'is not an object',
} as const

const CHECKS: Record<keyof typeof MALFORMED, (value: unknown) => boolean> = {
  records: isRecords,
  strings: isStrings,
  map: isMap,
  text: isText,
  record: (value) => isAbsent(value) || isRecord(value),
}

/** What is wrong with the first field that is not of its form. */
function fieldFault(
  parent: Shape | null | undefined,
  path: string,
  form: Record<string, keyof typeof MALFORMED>,
): string | undefined {
  if (isAbsent(parent)) return undefined
  for (const field in form) {
    const check = form[field]
    if (check !== undefined && !CHECKS[check](parent[field])) return `${path}${field} ${MALFORMED[check]}`
  }
  return undefined
}

function itemFault(
  items: unknown,
  path: string,
  form: Record<string, keyof typeof MALFORMED>,
): string | undefined {
  for (const [index, item] of ((items as Shape[] | null | undefined) ?? []).entries()) {
    const fault = fieldFault(item, `${path}[${index}].`, form)
    if (fault !== undefined) return fault
  }
  return undefined
}

function metadataFault(object: unknown): string | undefined {
  if (!isRecord(object)) return 'it is not an object'
  const { metadata } = object
  if (!isRecord(metadata)) return 'metadata is not an object'
  if (typeof metadata.name !== 'string' || metadata.name === '') return 'metadata.name is missing'
  return fieldFault(metadata, 'metadata.', {
    namespace: 'text',
    uid: 'text',
    labels: 'map',
    annotations: 'map',
    ownerReferences: 'records',
  })
}

const part = (object: unknown, field: string): Shape | undefined =>
  (object as Shape)[field] as Shape | undefined

/** @returns what is wrong, or `undefined` when the Service can be planned for */
export function serviceFault(service: unknown): string | undefined {
  const fault = metadataFault(service) ?? fieldFault(service as Shape, '', { spec: 'record' })
  if (fault !== undefined) return fault
  const { metadata, spec } = service as Service
  if ((metadata?.namespace ?? '') === '') return 'metadata.namespace is missing'
  if ((metadata?.uid ?? '') === '') return 'metadata.uid is missing'
  if (isAbsent(spec)) return 'spec is missing'
  return (
    fieldFault(spec as unknown as Shape, 'spec.', {
      ports: 'records',
      ipFamilies: 'strings',
      clusterIP: 'text',
    }) ?? itemFault(spec.ports, 'spec.ports', { name: 'text', protocol: 'text', appProtocol: 'text' })
  )
}

/** @returns what is wrong, or `undefined` when the pod can be read; any field may be missing */
export function podFault(pod: unknown): string | undefined {
  const fault = metadataFault(pod) ?? fieldFault(pod as Shape, '', { spec: 'record', status: 'record' })
  if (fault !== undefined) return fault
  const spec = part(pod, 'spec')
  return (
    fieldFault(part(pod, 'status'), 'status.', { podIP: 'text', podIPs: 'records', conditions: 'records' }) ??
    itemFault(part(pod, 'status')?.podIPs, 'status.podIPs', { ip: 'text' }) ??
    fieldFault(spec, 'spec.', {
      nodeName: 'text',
      hostname: 'text',
      containers: 'records',
      initContainers: 'records',
    }) ??
    itemFault(spec?.containers, 'spec.containers', { ports: 'records' }) ??
    itemFault(spec?.initContainers, 'spec.initContainers', { ports: 'records' })
  )
}

/** @returns what is wrong, or `undefined` when the node can be read; status may be missing */
export function nodeFault(node: unknown): string | undefined {
  const fault = metadataFault(node) ?? fieldFault(node as Shape, '', { status: 'record' })
  if (fault !== undefined) return fault
  return fieldFault(part(node, 'status'), 'status.', { conditions: 'records', allocatable: 'record' })
}

/** @returns what is wrong, or `undefined` when the slice can be planned with */
export function sliceFault(slice: unknown): string | undefined {
  const fault =
    metadataFault(slice) ?? fieldFault(slice as Shape, '', { ports: 'records', endpoints: 'records' })
  if (fault !== undefined) return fault
  const { addressType, endpoints } = slice as EndpointSlice
  if (typeof addressType !== 'string') return 'addressType is missing'
  return itemFault(endpoints, 'endpoints', {
    addresses: 'strings',
    conditions: 'record',
    targetRef: 'record',
    hints: 'record',
  })
}

/** Tells the objects that can be read from those that cannot, which are added to `skipped`. */
export function readable<T extends Service | Pod | Node | EndpointSlice>(
  kind: SkippedObject['kind'],
  objects: readonly T[],
  skipped: SkippedObject[],
): Named<T>[] {
  const faultOf = { Service: serviceFault, Pod: podFault, Node: nodeFault, EndpointSlice: sliceFault }[kind]
  const good: Named<T>[] = []
  for (const object of objects) {
    const message = faultOf(object)
    if (message === undefined) good.push(object as Named<T>)
    else skipped.push({ kind, ...nameOf(object), reason: 'Malformed', message })
  }
  return good
}

function nameOf(object: unknown): { namespace: string; name: string } {
  const metadata = isRecord(object) && isRecord(object.metadata) ? object.metadata : {}
  const text = (value: unknown, otherwise: string): string =>
    typeof value === 'string' && value !== '' ? value : otherwise
  return { namespace: text(metadata.namespace, ''), name: text(metadata.name, '(unnamed)') }
}
