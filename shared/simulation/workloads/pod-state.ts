import type { Pod } from '../../endpointslice/index.ts'

/** The part of a Pod that changes most often. */
export interface PodState {
  readonly version: number
  readonly isReady: boolean
  readonly isTerminating: boolean
}

/** Only its presence matters. */
const SOME_TIME = '2026-01-01T00:00:00Z'
const READY = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
const UNREADY = { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] }

/** Returns the same Pod in another state. Its spec remains the same object. */
export function podInState(pod: Pod, { version, isReady, isTerminating }: PodState): Pod {
  const { name, namespace, uid, labels } = pod.metadata ?? {}
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      uid,
      labels,
      resourceVersion: String(version),
      ...(isTerminating && { deletionTimestamp: SOME_TIME }),
    },
    spec: pod.spec,
    status: { podIPs: pod.status?.podIPs, ...(isReady ? READY : UNREADY) },
  }
}

/** Returns the state of a Pod from {@link podInState}. */
export const stateOf = ({ metadata, status }: Pod): PodState => ({
  version: Number(metadata?.resourceVersion),
  isReady: status?.conditions === READY.conditions,
  isTerminating: metadata?.deletionTimestamp !== undefined,
})

/** Reports whether both Pods are from {@link podInState} and only their states differ. */
export const isInState = (pod: Pod, before: Pod): boolean =>
  pod.spec === before.spec &&
  pod.status?.podIPs === before.status?.podIPs &&
  pod.metadata?.labels === before.metadata?.labels &&
  pod.metadata?.uid === before.metadata?.uid &&
  isOfState(pod) &&
  isOfState(before)

const isOfState = ({ metadata, status }: Pod): boolean =>
  metadata?.annotations === undefined &&
  (status?.conditions === READY.conditions || status?.conditions === UNREADY.conditions)
