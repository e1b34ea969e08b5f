import { type EndpointSelector, selectorFault } from '../endpoint-selector.ts'
import { InvalidOptionError } from '../errors.ts'
import type {
  AnyEndpointSlice,
  AnyEndpoints,
  AnyNode,
  AnyPod,
  AnyService,
  Endpoint,
  EndpointHints,
  EndpointSlice,
  Endpoints,
  Node,
  ObjectMeta,
  Pod,
  Service,
  ServicePort,
} from '../types.ts'
import {
  type Fault,
  type Fields,
  isAbsent,
  isRecord,
  labelsFault,
  listFault,
  metadataFault,
  notItem,
  notNumber,
  notObject,
  notText,
  notTextItem,
  wrong,
} from './faults.ts'

/** An object whose name was checked to be there. */
export type Named<T> = T & { metadata: ObjectMeta & { name: string } }

/** An object that a plan leaves out of account. */
export interface SkippedObject {
  readonly kind: 'Service' | 'EndpointSelector' | 'Pod' | 'Node' | 'EndpointSlice' | 'Endpoints'
  readonly namespace: string
  /** `(unnamed)` for an object without a name. */
  readonly name: string
  /**
   * `NodeNotFound`: the pod's node is not among the nodes; may heal, plan again.
   * `Malformed`: the object is not of the form that the API gives; the message says where.
   * `RefusedAddress`: for sources and callers that leave addresses out by a rule of their own.
   */
  readonly reason: 'NodeNotFound' | 'Malformed' | 'RefusedAddress'
  readonly message: string
}

function serviceFault({ metadata, spec }: Service): Fault {
  const fault = metadataFault(metadata) ?? labelsFault(metadata as ObjectMeta)
  if (fault !== undefined) return fault
  if ((metadata?.namespace ?? '') === '') return 'metadata.namespace is missing'
  if ((metadata?.uid ?? '') === '') return 'metadata.uid is missing'
  if (isAbsent(spec)) return 'spec is missing'
  if (!isRecord(spec)) return wrong('spec', 'an object', spec)
  const { ports, ipFamilies, clusterIP }: Fields<NonNullable<Service['spec']>> = spec
  return (
    listFault(ports, 'spec.ports', servicePortFault) ??
    listFault(ipFamilies, 'spec.ipFamilies', notTextItem) ??
    notText(clusterIP, 'spec.clusterIP')
  )
}

function servicePortFault(port: unknown, path: string): Fault {
  if (!isRecord(port)) return wrong(path, 'an object', port)
  const { name, protocol, appProtocol }: Fields<ServicePort> = port
  return (
    notText(name, path, '.name') ??
    notText(protocol, path, '.protocol') ??
    notText(appProtocol, path, '.appProtocol')
  )
}

/** Returns the fault of a pod. Any field of a pod, other than its name, may be missing. */
function podFault({ metadata, spec, status }: Pod): Fault {
  return (
    metadataFault(metadata) ??
    (isAbsent(status) ? undefined : podStatusFault(status)) ??
    (isAbsent(spec) ? undefined : podSpecFault(spec))
  )
}

function podStatusFault(status: NonNullable<Pod['status']>): Fault {
  return (
    notObject(status, 'status') ??
    notText(status.podIP, 'status.podIP') ??
    listFault(status.podIPs, 'status.podIPs', podIpFault) ??
    listFault(status.conditions, 'status.conditions', conditionFault)
  )
}

/** A transition time that is none costs a trigger time, not the endpoint. */
const conditionFault = (condition: unknown, path: string): Fault =>
  isRecord(condition) ? undefined : wrong(path, 'an object', condition)

const podIpFault = (podIp: unknown, path: string): Fault =>
  isRecord(podIp) && typeof podIp.ip === 'string' ? undefined : wrong(path, 'an object with an ip', podIp)

function podSpecFault(spec: NonNullable<Pod['spec']>): Fault {
  return (
    notObject(spec, 'spec') ??
    notText(spec.nodeName, 'spec.nodeName') ??
    notText(spec.hostname, 'spec.hostname') ??
    notText(spec.subdomain, 'spec.subdomain') ??
    listFault(spec.containers, 'spec.containers', containerFault) ??
    listFault(spec.initContainers, 'spec.initContainers', containerFault)
  )
}

const containerFault = (container: unknown, path: string): Fault =>
  isRecord(container)
    ? listFault(container.ports, path, containerPortFault, '.ports')
    : wrong(path, 'an object', container)

function containerPortFault(port: unknown, path: string): Fault {
  if (!isRecord(port)) return wrong(path, 'an object', port)
  return (
    notText(port.name, path, '.name') ??
    notText(port.protocol, path, '.protocol') ??
    notNumber(port.containerPort, path, '.containerPort')
  )
}

function nodeFault({ metadata, status }: Node): Fault {
  const fault = metadataFault(metadata) ?? labelsFault(metadata as ObjectMeta)
  if (fault !== undefined || isAbsent(status)) return fault
  return (
    notObject(status, 'status') ??
    listFault(status.conditions, 'status.conditions') ??
    notObject(status.allocatable, 'status.allocatable') ??
    notQuantity(status.allocatable?.cpu, 'status.allocatable.cpu')
  )
}

/** Returns the fault of a quantity. API servers write them as texts; clients may have sent numbers. */
const notQuantity = (value: unknown, path: string): Fault =>
  isAbsent(value) || typeof value === 'string' || typeof value === 'number'
    ? undefined
    : wrong(path, 'a quantity', value)

function sliceFault({ metadata, addressType, endpoints, ports }: EndpointSlice): Fault {
  const fault = metadataFault(metadata) ?? labelsFault(metadata as ObjectMeta)
  if (fault !== undefined) return fault
  if (isAbsent(addressType)) return 'addressType is missing'
  return (
    notText(addressType, 'addressType') ??
    listFault(metadata?.ownerReferences, 'metadata.ownerReferences') ??
    listFault(ports, 'ports') ??
    listFault(endpoints, 'endpoints', endpointFault)
  )
}

function endpointFault(endpoint: unknown, path: string): Fault {
  if (!isRecord(endpoint)) return wrong(path, 'an object', endpoint)
  const { addresses, conditions, targetRef, hints }: Fields<Endpoint> = endpoint
  return (
    listFault(addresses, path, notTextItem, '.addresses') ??
    notObject(conditions, path, '.conditions') ??
    (isAbsent(targetRef) ? undefined : targetRefFault(targetRef, path)) ??
    (isAbsent(hints) ? undefined : hintsFault(hints, path))
  )
}

function targetRefFault(targetRef: unknown, path: string): Fault {
  if (!isRecord(targetRef)) return wrong(`${path}.targetRef`, 'an object', targetRef)
  return (
    notText(targetRef.kind, path, '.targetRef.kind') ??
    notText(targetRef.namespace, path, '.targetRef.namespace') ??
    notText(targetRef.name, path, '.targetRef.name') ??
    notText(targetRef.uid, path, '.targetRef.uid')
  )
}

function hintsFault(hints: unknown, path: string): Fault {
  if (!isRecord(hints)) return wrong(`${path}.hints`, 'an object', hints)
  const { forZones, forNodes }: Fields<EndpointHints> = hints
  return (
    listFault(forZones, path, notItem, '.hints.forZones') ??
    listFault(forNodes, path, notItem, '.hints.forNodes')
  )
}

/** Returns the fault of Endpoints, of which a watch brings the metadata alone. */
const endpointsFault = ({ metadata, subsets }: Endpoints): Fault =>
  metadataFault(metadata) ?? labelsFault(metadata as ObjectMeta) ?? listFault(subsets, 'subsets', subsetFault)

function subsetFault(subset: unknown, path: string): Fault {
  if (!isRecord(subset)) return wrong(path, 'an object', subset)
  const { addresses, notReadyAddresses, ports }: Fields<NonNullable<Endpoints['subsets']>[number]> = subset
  return (
    listFault(addresses, `${path}.addresses`) ??
    listFault(notReadyAddresses, `${path}.notReadyAddresses`) ??
    listFault(ports, `${path}.ports`)
  )
}

interface Kinds {
  readonly Service: Service
  readonly EndpointSelector: EndpointSelector
  readonly Pod: Pod
  readonly Node: Node
  readonly EndpointSlice: EndpointSlice
  readonly Endpoints: Endpoints
}

/** As they may be given. */
interface GivenKinds {
  readonly Service: AnyService
  readonly EndpointSelector: EndpointSelector
  readonly Pod: AnyPod
  readonly Node: AnyNode
  readonly EndpointSlice: AnyEndpointSlice
  readonly Endpoints: AnyEndpoints
}

const FAULTS: { readonly [Kind in keyof Kinds]: (object: Kinds[Kind]) => Fault } = {
  Service: serviceFault,
  EndpointSelector: selectorFault,
  Pod: podFault,
  Node: nodeFault,
  EndpointSlice: sliceFault,
  Endpoints: endpointsFault,
}

/**
 * Returns what is wrong with something that was sent as an object of this kind, as far as a plan reads it:
 * a path, and why the value there cannot be read. A plan leaves out an object with a fault. Never throws. Of
 * a kind that no plan reads, every object is good.
 * @example
 * ```ts
 * const metadata = { name: 'web-0', namespace: 'shop' }
 * objectFault('Pod', { metadata }) // => undefined
 * objectFault('Pod', { metadata: { ...metadata, deletionTimestamp: 7 } })?.includes('got number') // => true
 * ```
 */
export function objectFault(kind: string, object: unknown): string | undefined {
  if (!isRecord(object)) return 'it is not an object'
  return isPlanned(kind) ? FAULTS[kind](object as never) : undefined
}

const isPlanned = (kind: string): kind is keyof Kinds => Object.hasOwn(FAULTS, kind)

/** Names of the lists in the state of a plan. */
const LISTS: { readonly [Kind in keyof Kinds]: string } = {
  Service: 'service',
  EndpointSelector: 'endpointSelector',
  Pod: 'pods',
  Node: 'nodes',
  EndpointSlice: 'slices',
  Endpoints: 'endpoints',
}

/**
 * Returns the objects that are of the API's form, as far as a plan reads them; the others are added to
 * `skipped`. Types say nothing about what really came over the wire, and one bad object must not hold up the
 * rest.
 * @throws InvalidOptionError for what is no list, such as a PodList in place of its items
 */
export function readable<Kind extends keyof Kinds>(
  kind: Kind,
  objects: readonly GivenKinds[Kind][],
  skipped: SkippedObject[],
): Named<Kinds[Kind]>[] {
  if (!Array.isArray(objects)) throw new InvalidOptionError(LISTS[kind], `a list of ${kind} objects`, objects)
  const good: Named<Kinds[Kind]>[] = []
  for (const object of objects) {
    const message = objectFault(kind, object)
    if (message === undefined) good.push(object as unknown as Named<Kinds[Kind]>)
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
