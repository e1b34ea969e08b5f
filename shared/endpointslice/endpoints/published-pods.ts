import { parseIp } from '../objects/ip-address.ts'
import { isBeingDeleted } from '../objects/timestamps.ts'
import type { Named, SkippedObject } from '../objects/validate.ts'
import type { AddressType, Endpoint, Node, Pod, Service } from '../types.ts'
import { LABEL_ZONE } from '../well-known.ts'
import { isPodReady, podOmission, publishedHostname } from './pod-state.ts'
import { PortResolver, type PortSet } from './ports.ts'

/** A pod, or an endpoint of another source, as published, in every address type that it has. */
export interface PublishedPod {
  /** See podKey(). Its order is the order in which pods are placed. */
  readonly key: string
  /** Kind of the object that the endpoint refers to: `Pod`; empty if it refers to none. */
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly uid: string | undefined
  readonly portSet: PortSet
  readonly nodeName: string | undefined
  readonly zone: string | undefined
  readonly hostname: string | undefined
  readonly ready: boolean
  readonly serving: boolean
  readonly terminating: boolean
  /** Canonical and sorted. */
  readonly addresses: Readonly<Record<AddressType, readonly string[]>>
}

export interface PublishedPods {
  readonly pods: readonly PublishedPod[]
  /** Port sets of every counted pod, also of pods that are not published for want of an address or node. */
  readonly portSets: readonly PortSet[]
}

const NO_ADDRESSES: readonly string[] = []

/** Why a pod is not published: it has ended, has no address yet, or its node is not among the nodes. */
export type PodOmission = 'Terminal' | 'NoAddress' | 'NodeNotFound'

/** Returns the pods of a Service to be published; those on nodes that do not exist are added to `skipped`. */
export function publishedPods(
  service: Named<Service>,
  pods: readonly Named<Pod>[],
  nodes: readonly Named<Node>[],
  skipped: SkippedObject[],
): PublishedPods {
  const resolver = new PortResolver(service)
  const publishPod = podPublisher(service, nodes, { resolver, skipped })
  const published: PublishedPod[] = []
  for (const pod of pods) {
    const result = publishPod(pod)
    if (typeof result !== 'string') published.push(result)
  }
  return { pods: published, portSets: resolver.portSets }
}

/** Returns a function that says as what a pod of the Service is published, or why it is not. */
export function podPublisher(
  service: Named<Service>,
  nodes: readonly Named<Node>[],
  { resolver, skipped }: { readonly resolver: PortResolver; readonly skipped: SkippedObject[] },
): (pod: Named<Pod>) => PublishedPod | PodOmission {
  const zones = new Map(nodes.map((node) => [node.metadata.name, node.metadata.labels?.[LABEL_ZONE] ?? '']))
  const publishNotReady = service.spec?.publishNotReadyAddresses === true
  return (pod) => {
    const omission = podOmission(pod)
    if (omission !== undefined) return omission
    const portSet = resolver.portSetOf(pod)
    const zone = zones.get(pod.spec?.nodeName ?? '')
    if (zone !== undefined || publishNotReady) return publish(pod, service, { portSet, zone, skipped })
    skipped.push(nodeNotFound(pod))
    return 'NodeNotFound'
  }
}

interface Found {
  readonly portSet: PortSet
  readonly zone: string | undefined
  readonly skipped: SkippedObject[]
}

function publish(pod: Named<Pod>, service: Named<Service>, { portSet, zone, skipped }: Found): PublishedPod {
  const { name, namespace = service.metadata.namespace ?? '', uid } = pod.metadata
  const serving = isPodReady(pod)
  const terminating = isBeingDeleted(pod.metadata)
  return {
    key: podKey(namespace, name, service.metadata.namespace ?? ''),
    kind: 'Pod',
    namespace,
    name,
    uid,
    portSet,
    nodeName: pod.spec?.nodeName || undefined,
    zone: zone || undefined,
    hostname: publishedHostname(pod, service),
    ready: service.spec?.publishNotReadyAddresses === true || (serving && !terminating),
    serving,
    terminating,
    addresses: addressesOf(pod, skipped),
  }
}

function addressesOf(pod: Named<Pod>, skipped: SkippedObject[]): Record<AddressType, readonly string[]> {
  const addresses = { IPv4: NO_ADDRESSES, IPv6: NO_ADDRESSES, FQDN: NO_ADDRESSES }
  for (const { ip = '' } of pod.status?.podIPs ?? []) {
    const parsed = parseIp(ip)
    if (parsed === undefined) skipped.push(malformedAddress(pod, ip))
    else if (addresses[parsed.type].length === 0) addresses[parsed.type] = [parsed.text]
    else addresses[parsed.type] = [...addresses[parsed.type], parsed.text].sort()
  }
  return addresses
}

/** Builds the endpoint of a pod; the caller may change it. */
export function endpointOf(pod: PublishedPod, addressType: AddressType): Endpoint {
  const { kind, namespace, name, uid, ready, serving, terminating } = pod
  const endpoint: Endpoint = {
    addresses: [...pod.addresses[addressType]],
    conditions: { ready, serving, terminating },
  }
  if (kind !== '') {
    endpoint.targetRef = { kind, name, ...(uid === undefined ? undefined : { uid }) }
    if (namespace !== '') endpoint.targetRef.namespace = namespace
  }
  if (pod.hostname !== undefined) endpoint.hostname = pod.hostname
  if (pod.nodeName !== undefined) endpoint.nodeName = pod.nodeName
  if (pod.zone !== undefined) endpoint.zone = pod.zone
  return endpoint
}

/** Reports whether an endpoint of this pod is as it should be beyond its identity; hints are not compared. */
export function isUpToDate(endpoint: Endpoint, pod: PublishedPod): boolean {
  const { conditions, targetRef } = endpoint
  return (
    (endpoint.nodeName ?? undefined) === pod.nodeName &&
    (endpoint.zone ?? undefined) === pod.zone &&
    conditions?.ready === pod.ready &&
    conditions.serving === pod.serving &&
    conditions.terminating === pod.terminating &&
    (targetRef?.kind ?? '') === pod.kind &&
    (targetRef?.uid ?? '') === (pod.uid ?? '') &&
    (targetRef?.apiVersion ?? '') === '' &&
    (targetRef?.fieldPath ?? '') === ''
  )
}

function nodeNotFound(pod: Named<Pod>): SkippedObject {
  const { namespace = '', name } = pod.metadata
  const { nodeName = '' } = pod.spec ?? {}
  const message =
    nodeName === ''
      ? 'it is not scheduled to a node yet'
      : `its node ${JSON.stringify(nodeName)} does not exist`
  return { kind: 'Pod', namespace, name, reason: 'NodeNotFound', message }
}

function malformedAddress(pod: Named<Pod>, ip: string): SkippedObject {
  const { namespace = '', name } = pod.metadata
  const message = `${JSON.stringify(ip)} in status.podIPs is not an IP address`
  return { kind: 'Pod', namespace, name, reason: 'Malformed', message }
}

/** Makes the key of a pod: its name, preceded by its namespace if that is not the Service's. */
export const podKey = (namespace: string, name: string, serviceNamespace: string): string =>
  namespace === serviceNamespace ? name : `${namespace}/${name}`
