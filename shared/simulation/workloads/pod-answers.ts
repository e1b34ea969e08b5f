import type { Change, ClusterIndex } from '../../changes/index.ts'
import type { Pod } from '../../endpointslice/index.ts'
import { isInState, stateOf } from './pod-state.ts'

/**
 * The relay's index of Pods, which is not asked twice for the same: until a Service changes, it says of a Pod
 * that comes from one state to another what it said of the same Pod the last time, but for the version.
 */
export interface PodAnswers extends Pick<ClusterIndex['pods'], 'put' | 'remove'> {
  /** Brings the index up to date and forgets what it said: Services are about to change. */
  renew(): void
}

interface Answered {
  /** The Pod in the form that was told last. */
  pod: Pod
  /** Answers by the states before and after. */
  readonly answers: (readonly Change[] | undefined)[]
}

/** A Pod in each of its states: ready or not, terminating or not. */
const STATES = 4

export function createPodAnswers(pods: ClusterIndex['pods']): PodAnswers {
  const known = new Map<string, Answered>()
  /** Pods that are another in the index than they were told. */
  const behind = new Map<string, Pod>()

  function bringUp(key: string): void {
    const pod = behind.get(key)
    if (pod !== undefined) pods.put(pod)
    behind.delete(key)
  }

  return {
    put(pod) {
      const key = keyOf(pod)
      const before = known.get(key)
      if (before === undefined || !isInState(pod, before.pod)) {
        bringUp(key)
        known.set(key, { pod, answers: [] })
        return pods.put(pod)
      }
      const change = STATES * stateNumber(before.pod) + stateNumber(pod)
      const answer = before.answers[change]
      if (answer !== undefined) {
        before.pod = pod
        behind.set(key, pod)
        const resourceVersion = pod.metadata?.resourceVersion ?? ''
        return answer.map((each) => ({ ...each, resourceVersion }))
      }
      bringUp(key)
      before.pod = pod
      const changes = pods.put(pod)
      before.answers[change] = changes
      return changes
    },
    remove(pod) {
      const key = keyOf(pod)
      bringUp(key)
      known.delete(key)
      return pods.remove(pod)
    },
    renew() {
      for (const pod of behind.values()) pods.put(pod)
      behind.clear()
      known.clear()
    },
  }
}

const keyOf = ({ metadata: { namespace = '', name = '' } = {} }: Pod): string => `${namespace}/${name}`

function stateNumber(pod: Pod): number {
  const { isReady, isTerminating } = stateOf(pod)
  return (isReady ? 1 : 0) + (isTerminating ? 2 : 0)
}
