import type { Change, ClusterIndex } from '../../changes/index.ts'
import type { Pod } from '../../endpointslice/index.ts'
import { isInState, stateOf } from './pod-state.ts'

/**
 * Caches the answers of the relay's index of Pods: until a Service changes, the same change of state of a Pod
 * concerns the same Services. It saves a sixth of the time of a long recording. Versions are left out.
 */
interface PodAnswers {
  /** Returns the same list for the same change of state. */
  put(pod: Pod): readonly Change[]
  remove(pod: Pod): readonly Change[]
  /** Updates the index and clears the cache: Services are about to change. */
  renew(): void
}

interface Answered {
  /** The Pod as it was last delivered. */
  pod: Pod
  /** Whether the index still has an earlier state of the Pod. */
  isBehind: boolean
  /** Changes by the states before and after. */
  readonly answers: (readonly Change[] | undefined)[]
}

/** A Pod in each of its states: ready or not, terminating or not. */
const STATES = 4

export function createPodAnswers(pods: ClusterIndex['pods']): PodAnswers {
  const known = new Map<string, Answered>()
  /** The same by spec, which a Pod keeps from state to state: a faster key than text. */
  const bySpec = new Map<Pod['spec'], Answered>()

  function bringUp(answered: Answered | undefined): void {
    if (answered?.isBehind) pods.put(answered.pod)
  }

  function forget(key: string): void {
    const answered = known.get(key)
    bringUp(answered)
    known.delete(key)
    bySpec.delete(answered?.pod.spec)
  }

  function answerOf(before: Answered, pod: Pod): readonly Change[] {
    const change = STATES * stateNumber(before.pod) + stateNumber(pod)
    const answer = before.answers[change]
    if (answer === undefined) bringUp(before)
    before.pod = pod
    before.isBehind = answer !== undefined
    if (answer !== undefined) return answer
    const changes = withoutVersions(pods.put(pod))
    before.answers[change] = changes
    return changes
  }

  return {
    put(pod) {
      const before = bySpec.get(pod.spec)
      if (before !== undefined && isInState(pod, before.pod)) return answerOf(before, pod)
      const key = keyOf(pod)
      forget(key)
      const answered = { pod, isBehind: false, answers: [] }
      known.set(key, answered)
      bySpec.set(pod.spec, answered)
      return withoutVersions(pods.put(pod))
    },
    remove(pod) {
      forget(keyOf(pod))
      return withoutVersions(pods.remove(pod))
    },
    renew() {
      for (const answered of known.values()) bringUp(answered)
      known.clear()
      bySpec.clear()
    },
  }
}

const withoutVersions = (changes: readonly Change[]): Change[] =>
  changes.map(({ resourceVersion: _, ...change }) => change)

const keyOf = ({ metadata: { namespace = '', name = '' } = {} }: Pod): string => `${namespace}/${name}`

function stateNumber(pod: Pod): number {
  const { isReady, isTerminating } = stateOf(pod)
  return (isReady ? 1 : 0) + (isTerminating ? 2 : 0)
}
