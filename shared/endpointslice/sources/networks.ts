import type { SkippedObject } from '../objects/validate.ts'
import type { Pod } from '../types.ts'

/**
 * Annotation in which Multus and others write the addresses that a pod has on each of its networks (Network
 * Plumbing Working Group, "Kubernetes Network Custom Resource Definition De-facto Standard", 4.1.2): a JSON
 * list of `{name, interface, ips, default}`.
 */
export const ANNOTATION_NETWORK_STATUS = 'k8s.v1.cni.cncf.io/network-status'

/** Pods with the addresses of another network than the cluster's own. */
export interface PodsOnNetwork {
  /** Copies whose addresses are those on the network. */
  readonly pods: Pod[]
  /** Pods that are not attached to it, or have no address on it. */
  readonly unattached: Pod[]
  /** Pods whose annotation cannot be read. */
  readonly skipped: SkippedObject[]
}

/**
 * Returns the pods with their addresses on one of their networks, to be planned like any others.
 * @param network `namespace/name` of a NetworkAttachmentDefinition; a name alone is one in the pod's own
 *   namespace
 * @example
 * ```ts
 * const networks = JSON.stringify([{ name: 'shop/storage', interface: 'net1', ips: ['192.168.7.5'] }])
 * const annotations = { 'k8s.v1.cni.cncf.io/network-status': networks }
 * const metadata = { name: 'db-0', namespace: 'shop', annotations }
 * const { pods } = podsOnNetwork([{ metadata, status: { podIPs: [{ ip: '10.0.0.5' }] } }], 'shop/storage')
 * pods.map(({ status }) => status?.podIPs) // => [[{ ip: '192.168.7.5' }]]
 * ```
 */
export function podsOnNetwork(pods: readonly Pod[], network: string): PodsOnNetwork {
  const attached: Pod[] = []
  const unattached: Pod[] = []
  const skipped: SkippedObject[] = []
  for (const pod of pods) {
    const ips = addressesOn(pod, network)
    if (ips === undefined) skipped.push(unreadable(pod))
    else if (ips.length > 0) attached.push(withAddresses(pod, ips))
    else unattached.push(pod)
  }
  return { pods: attached, unattached, skipped }
}

function withAddresses(pod: Pod, ips: readonly string[]): Pod {
  return { ...pod, status: { ...pod.status, podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) } }
}

/** @returns `undefined` when the annotation is not of its form */
function addressesOn({ metadata }: Pod, network: string): string[] | undefined {
  const text = metadata?.annotations?.[ANNOTATION_NETWORK_STATUS]
  if (text === undefined) return []
  const list = parseStatus(text)
  if (list === undefined) return undefined
  const namespace = metadata?.namespace ?? ''
  const wanted = qualified(network, namespace)
  const ips = list.filter(({ name }) => qualified(name, namespace) === wanted).flatMap((status) => status.ips)
  return [...new Set(ips)]
}

const qualified = (name: string, namespace: string): string =>
  name.includes('/') ? name : `${namespace}/${name}`

interface NetworkStatus {
  readonly name: string
  readonly ips: readonly string[]
}

function parseStatus(text: string): NetworkStatus[] | undefined {
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!Array.isArray(list)) return undefined
  const statuses = list.map(statusOf)
  return statuses.every((status) => status !== undefined) ? statuses : undefined
}

/** Reads the status of one network. A network without addresses (layer 2 only) has no `ips`. */
function statusOf(item: unknown): NetworkStatus | undefined {
  const { name, ips } = (item ?? {}) as { readonly name?: unknown; readonly ips?: unknown }
  const addresses = ips ?? []
  if (typeof name !== 'string' || !Array.isArray(addresses)) return undefined
  return addresses.every((ip) => typeof ip === 'string') ? { name, ips: addresses } : undefined
}

function unreadable({ metadata }: Pod): SkippedObject {
  const message = `its annotation ${ANNOTATION_NETWORK_STATUS} is not a JSON list of networks`
  const { namespace = '', name = '' } = metadata ?? {}
  return { kind: 'Pod', namespace, name, reason: 'Malformed', message }
}
