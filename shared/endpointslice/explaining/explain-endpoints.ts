import { PortResolver, unresolvedPorts } from '../endpoints/ports.ts'
import { type PodOmission, type PublishedPod, podPublisher } from '../endpoints/published-pods.ts'
import { ownerOfKind } from '../find-owner.ts'
import { isBeingDeleted } from '../objects/timestamps.ts'
import { type Named, readable, type SkippedObject } from '../objects/validate.ts'
import { type EndpointSource, publishedFrom } from '../sources/source.ts'
import type { AddressType, Node, Pod, Service } from '../types.ts'
import type { SliceIndex } from './slice-index.ts'
import type { EndpointExplanation, EndpointPlacement, Reason } from './types.ts'

/** Context in which endpoints are explained. */
interface EndpointContext {
  readonly service: Named<Service>
  readonly addressTypes: readonly AddressType[]
  /** Index of the slices as they are, by any manager. */
  readonly before: SliceIndex
  /** Index of our slices as they are planned. */
  readonly after: SliceIndex
  /** The value of our managed-by label. */
  readonly managedBy: string
}

export interface SelectedPods {
  /** Pods with their addresses on the network that the Service names, if any. */
  readonly pods: readonly Pod[]
  /** Nodes of the pods' cluster. */
  readonly nodes: readonly Node[]
  /** Selected, but not attached to that network. */
  readonly unattached?: readonly Pod[]
  /** Selected, but left out already for what is wrong with them. */
  readonly skipped?: readonly SkippedObject[]
  /** Addresses that a rule of the caller's has taken from the pods. */
  readonly refused?: readonly SkippedObject[]
  /** True for pods of another cluster: endpoints then name neither the pod nor its node. */
  readonly areForeign?: boolean
  /** The cluster that they are in, to be said of each. */
  readonly cluster?: string
}

/** Explains what becomes of every pod that a Service selects in one place. */
function explainPods(selected: SelectedPods, context: EndpointContext): EndpointExplanation[] {
  const malformed: SkippedObject[] = [...(selected.skipped ?? [])]
  const pods = readable('Pod', selected.pods, malformed)
  const nodes = readable('Node', selected.nodes, [])
  const skipped: SkippedObject[] = []
  const { service } = context
  const publish = podPublisher(service, nodes, { resolver: new PortResolver(service), skipped })
  const refusedOf = Map.groupBy(selected.refused ?? [], podNameOf)
  const explained = pods.map((pod) => {
    const first = skipped.length
    const published = publish(pod)
    const said = skipped.slice(first)
    const refused = (refusedOf.get(podNameOf(pod.metadata)) ?? []).map(refusedReason)
    if (typeof published === 'string') {
      // A pod without the addresses that it had has no address any more; that is not why.
      const reasons = refused.length > 0 ? refused : [omissionReason(published, pod, said)]
      return onNode(pod, explainEndpoint(unpublished(pod), reasons, context))
    }
    const subject = selected.areForeign ? { ...published, kind: '' } : published
    const reasons = [...said.map(malformedReason), ...refused, ...podReasons(pod, context)]
    return onNode(pod, explainEndpoint(subject, reasons, context))
  })
  const unattached = readable('Pod', selected.unattached ?? [], malformed).map((pod) =>
    explainEndpoint(unpublished(pod), [NOT_ON_NETWORK], context),
  )
  const unreadable = malformed.map((object) => explainMalformed(object))
  const { cluster } = selected
  const all = [...explained, ...unattached, ...unreadable]
  return all.map((endpoint) => (cluster === undefined ? endpoint : { ...endpoint, cluster }))
}

/** Explains the pods of several sources, in the order of their names. */
export const explainSelected = (
  selected: readonly SelectedPods[],
  context: EndpointContext,
): EndpointExplanation[] =>
  selected.flatMap((each) => explainPods(each, context)).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))

/** Explains what becomes of every endpoint of a source that is no pod. */
export function explainSource(source: EndpointSource, context: EndpointContext): EndpointExplanation[] {
  const skipped: SkippedObject[] = []
  const { pods } = publishedFrom(source, context.service, skipped)
  const malformed = skipped.map((object) => explainMalformed(object))
  return [...pods.map((published) => explainEndpoint(published, [], context)), ...malformed]
}

const onNode = (pod: Pod, explained: EndpointExplanation): EndpointExplanation => ({
  ...explained,
  nodeName: pod.spec?.nodeName || undefined,
})

const podNameOf = ({ namespace = '', name = '' }: { namespace?: string; name?: string }): string =>
  `${namespace}/${name}`

type Subject = Pick<
  PublishedPod,
  'kind' | 'namespace' | 'name' | 'addresses' | 'ready' | 'serving' | 'terminating' | 'zone'
>

const NO_ADDRESSES = { IPv4: [], IPv6: [], FQDN: [] } as const
const ADDRESS_TYPES = ['IPv4', 'IPv6', 'FQDN'] as const

/** Describes a pod that is left out; it may stand in a slice all the same. */
const unpublished = ({ metadata: { name, namespace = '' } }: Named<Pod>): Subject => ({
  kind: 'Pod',
  namespace,
  name,
  addresses: NO_ADDRESSES,
  ready: false,
  serving: false,
  terminating: false,
  zone: undefined,
})

function explainEndpoint(
  subject: Subject,
  reasons: readonly Reason[],
  context: EndpointContext,
): EndpointExplanation {
  const { addressTypes, before, managedBy } = context
  const published = addressTypes
    .filter((type) => subject.addresses[type].length > 0)
    .map((type) => placementOf(subject, type, context))
  const name = subject.name || ADDRESS_TYPES.flatMap((type) => subject.addresses[type]).join(', ')
  const explained = {
    kind: subject.name === '' ? ('Address' as const) : ('Pod' as const),
    namespace: subject.namespace,
    name,
    ...(subject.zone !== undefined && { zone: subject.zone }),
    published,
  }
  const more = [...reasons, ...addressReasons(subject, context)]
  if (published.length === 0) {
    const left = addressTypes.flatMap((type) => before.find(type, { ...subject, addresses: [] }))
    const still = left.map(({ name: slice, managedBy: by }) => stillPublished(slice, by))
    return { ...explained, outcome: 'LeftOut', reasons: [...more, ...still] }
  }
  const isComplete = published.every(({ slices, plannedSlice }) =>
    slices.some((slice) => slice.managedBy === managedBy && slice.name === plannedSlice),
  )
  return { ...explained, outcome: isComplete ? 'Published' : 'Pending', reasons: more }
}

function placementOf(
  { ready, serving, terminating, ...subject }: Subject,
  addressType: AddressType,
  { before, after }: EndpointContext,
): EndpointPlacement {
  const addresses = subject.addresses[addressType]
  const wanted = { ...subject, addresses }
  const [planned] = after.find(addressType, wanted)
  return {
    addressType,
    addresses,
    ready,
    serving,
    terminating,
    slices: before.find(addressType, wanted),
    ...(planned && { plannedSlice: planned.name }),
  }
}

const NOT_ON_NETWORK: Reason = {
  code: 'NotOnNetwork',
  message: 'it is not attached to the network that the Service names',
}

function omissionReason(omission: PodOmission, pod: Named<Pod>, skipped: readonly SkippedObject[]): Reason {
  if (omission === 'Terminal') return { code: omission, message: `it has ended: phase ${pod.status?.phase}` }
  if (omission === 'NodeNotFound') return { code: omission, message: skipped[0]?.message ?? '' }
  const phase = pod.status?.phase ?? 'unknown'
  return { code: omission, message: `it has no IP yet: phase ${phase}` }
}

/** Lists what is to be known of a pod that is published. */
function podReasons(pod: Named<Pod>, { service }: EndpointContext): Reason[] {
  const reasons: Reason[] = unresolvedPorts(service, pod).map(({ name, port, targetPort, protocol }) => ({
    code: 'PortUnresolved',
    message: `it is published without port ${name || port}: none of its containers has a port named "${targetPort}" (${protocol ?? 'TCP'})`,
  }))
  if (isBeingDeleted(pod.metadata))
    reasons.push({
      code: 'BeingDeleted',
      message: `it is being deleted, until ${pod.metadata.deletionTimestamp}`,
    })
  const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready')
  if (ready?.status !== 'True')
    reasons.push({ code: 'NotReady', message: `its condition Ready is ${readyText(ready)}` })
  return reasons
}

const readyText = (condition: { status: string; reason?: string } | undefined): string =>
  condition === undefined
    ? 'not set'
    : `${condition.status}${condition.reason ? ` (${condition.reason})` : ''}`

/** Says in what the address families of a Service and of an endpoint differ. */
function addressReasons({ addresses }: Subject, { service, addressTypes: types }: EndpointContext): Reason[] {
  const { kind, rules } = ownerOfKind(service.kind)
  // Without a list an owner such as an EndpointSelector has the families of its Pods, whichever these are.
  const asksForTypes = rules.keepsPlaceholder || (service.spec?.ipFamilies ?? []).length > 0
  const had = ADDRESS_TYPES.filter((type) => addresses[type].length > 0)
  const useless = had.filter((type) => !types.includes(type))
  const isPublished = had.length > useless.length
  const lacking = isPublished && asksForTypes ? types.filter((type) => !had.includes(type)) : []
  return [
    ...useless.map(
      (type): Reason => ({
        code: 'AddressTypeNotOfService',
        message: `its ${type} address ${addresses[type].join(', ')} is not published: the ${kind} is ${types.join(' and ')} only`,
      }),
    ),
    ...lacking.map((type): Reason => ({ code: 'NoAddressOfType', message: `it has no ${type} address` })),
  ]
}

const stillPublished = (slice: string, managedBy: string): Reason => ({
  code: 'StillPublished',
  message: `EndpointSlice ${slice} of ${managedBy || 'no manager'} has it all the same`,
})

const refusedReason = ({ message }: SkippedObject): Reason => ({ code: 'RefusedAddress', message })

const malformedReason = ({ message }: SkippedObject): Reason => ({ code: 'Malformed', message })

const explainMalformed = (object: SkippedObject): EndpointExplanation => ({
  kind: object.kind === 'Pod' ? 'Pod' : 'Address',
  namespace: object.namespace,
  name: object.name,
  outcome: 'LeftOut',
  reasons: [malformedReason(object)],
  published: [],
})

const nameOf = ({ namespace, name, cluster = '' }: EndpointExplanation): string =>
  `${namespace}/${name} ${cluster}`
