import { LABEL_ZONE, type Node } from '../../../shared/endpointslice/index.ts'
import { type FoundPod, nodeAddresses } from './find-objects.ts'
import type { NodeReport, ObjectReport, ReadyReport } from './report.ts'

type ObjectFacts = Omit<ObjectReport, 'services' | 'furtherServices'>

/** Reports the state of a Pod as far as it decides what is published. */
export function reportPod({ pod, ...found }: FoundPod): ObjectFacts {
  const { metadata = {}, spec, status } = pod
  const ready = readyOf(status?.conditions)
  const deletion = deletionOf(metadata)
  const isOnHostNetwork = spec?.hostNetwork === true
  const { creationTimestamp: created } = metadata
  return {
    kind: 'Pod',
    ...found,
    exists: true,
    ...(spec?.nodeName && { node: spec.nodeName }),
    ...(status?.phase && { phase: status.phase }),
    ...(created !== undefined && { created }),
    ...(ready && { ready }),
    ...(deletion && { deletion }),
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

type Conditions = readonly {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly lastTransitionTime?: string
}[]

function readyOf(conditions: Conditions | undefined): ReadyReport | undefined {
  const ready = conditions?.find(({ type }) => type === 'Ready')
  if (ready === undefined) return undefined
  const { status, reason, lastTransitionTime: since } = ready
  return { status, ...(reason && { reason }), ...(since && { since }) }
}

/** A deletion is stamped with the time until which it may take. */
function deletionOf({
  deletionTimestamp: until,
  deletionGracePeriodSeconds: seconds = 0,
}: NonNullable<FoundPod['pod']['metadata']>): ObjectReport['deletion'] {
  const end = Date.parse(until ?? '')
  if (until === undefined || Number.isNaN(end)) return undefined
  return { since: new Date(end - seconds * 1000).toISOString().replace('.000Z', 'Z'), until }
}

export function reportNode(cluster: string, node: Node): NodeReport {
  const { name = '', labels } = node.metadata ?? {}
  const zone = labels?.[LABEL_ZONE]
  const ready = readyOf(node.status?.conditions)
  return {
    cluster,
    name,
    addresses: nodeAddresses(node),
    ...(zone !== undefined && { zone }),
    ...(ready && { ready }),
    isUnschedulable: node.spec?.unschedulable === true,
  }
}
