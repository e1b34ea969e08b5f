import { LABEL_ZONE, type Node } from '../../../shared/endpointslice/index.ts'
import { type FoundPod, nodeAddresses, recordsOf, textOf } from './find-objects.ts'
import type { NodeReport, ObjectReport, ReadyReport } from './report.ts'

type ObjectFacts = Omit<ObjectReport, 'services' | 'furtherServices'>

/** Reports the state of a Pod as far as it decides what is published. */
export function reportPod({ pod, ...found }: FoundPod): ObjectFacts {
  const { metadata = {}, spec, status } = pod
  const ready = readyOf(status?.conditions)
  const deletion = deletionOf(metadata)
  const isOnHostNetwork = spec?.hostNetwork === true
  const [node, phase, created] = [spec?.nodeName, status?.phase, metadata.creationTimestamp].map(textOf)
  return {
    kind: 'Pod',
    ...found,
    exists: true,
    ...{ node, phase, created, ready, deletion },
    ...(isOnHostNetwork && { isOnHostNetwork }),
    notes: isOnHostNetwork ? [HOST_NETWORK] : [],
  }
}

const HOST_NETWORK =
  'it is on the network of its Node: its address is that of the Node, and of all Pods there that are on it'

/** Reports a Pod that is not there any more, or an address of no Pod. */
export const reportMissing = (
  named: Pick<ObjectReport, 'kind' | 'cluster' | 'namespace' | 'name' | 'addresses'>,
): ObjectFacts => ({
  ...named,
  exists: named.kind === 'Address',
  notes: [
    named.kind === 'Pod'
      ? 'there is no such Pod (any more): slices name it'
      : 'no Pod of the clusters that were asked has this address',
  ],
})

function readyOf(conditions: unknown): ReadyReport | undefined {
  const ready = recordsOf(conditions).find(({ type }) => type === 'Ready')
  const [status, reason, since] = [ready?.status, ready?.reason, ready?.lastTransitionTime].map(textOf)
  return status === undefined ? undefined : { status, reason, since }
}

/** A deletion is stamped with the time until which it may take. */
function deletionOf({
  deletionTimestamp,
  deletionGracePeriodSeconds: grace,
}: NonNullable<FoundPod['pod']['metadata']>): ObjectReport['deletion'] {
  const until = textOf(deletionTimestamp)
  const end = Date.parse(until ?? '')
  if (until === undefined || Number.isNaN(end)) return undefined
  const start = new Date(end - (Number.isFinite(grace) ? Number(grace) : 0) * 1000)
  return { since: rfc3339(start) ?? until, until }
}

/** Kubernetes' times have no fractions of seconds. @returns `undefined` for a date that none can be */
const rfc3339 = (date: Date): string | undefined =>
  Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace('.000Z', 'Z')

export function reportNode(cluster: string, node: Node): NodeReport {
  const { name = '', labels } = node.metadata ?? {}
  return {
    cluster,
    name,
    addresses: nodeAddresses(node),
    zone: textOf(labels?.[LABEL_ZONE]),
    ready: readyOf(node.status?.conditions),
    isUnschedulable: node.spec?.unschedulable === true,
  }
}
