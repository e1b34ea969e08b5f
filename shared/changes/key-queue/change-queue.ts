import { type Deferral, type MonotonicClock, type ProcessingTime, WorkQueue } from '../../kubernetes/index.ts'
import { type Change, mergeChanges } from './change.ts'
import { keyText, type ServiceKey } from './key.ts'

interface ChangeQueueOptions {
  /** Says, as a key is handed out, how long it is being processed. */
  readonly processingTime: (key: ServiceKey) => ProcessingTime
  /** Whether slices show the change already; asked of what waited for its key. Default: no. */
  readonly isSettled?: ((change: Change) => boolean) | undefined
  /** Names the deferred Pods that a sync of the change takes along without further slices. Default: none. */
  readonly alongWith?: ((change: Change, pods: readonly string[]) => readonly string[]) | undefined
  /** Called when a change is ready and none was before. */
  readonly onReady: () => void
  /** Default: that of the machine. */
  readonly clock?: MonotonicClock | undefined
}

/**
 * Creates the queue of the changes that are to be sent, one a key. A change that is `deferrable` waits apart
 * from others, which take it along only where it is no further slice to write.
 */
export const createChangeQueue = ({
  isSettled,
  alongWith = () => [],
  clock,
  ...options
}: ChangeQueueOptions): WorkQueue<Change> =>
  new WorkQueue({
    ...options,
    keyOf: keyText,
    merge: mergeChanges,
    deferral: deferralOf(alongWith),
    ...(isSettled && { isObsolete: isSettled }),
    ...(clock && { clock }),
  })

const deferralOf = (alongWith: Required<ChangeQueueOptions>['alongWith']): Deferral<Change> => ({
  /** A Pod that changes again while it is deferred may have begun to terminate, and serve no more. */
  isDeferrable: ({ deferrable, pods = [] }, deferred) =>
    deferrable === true && !deferred.some((other) => pods.some((pod) => other.pods?.includes(pod))),
  cover(change, deferred) {
    if (change.pods === undefined) return { both: deferred.reduce(mergeChanges, change), rest: [] }
    const pods = deferred.flatMap((other) => other.pods ?? [])
    const along = new Set([...change.pods, ...alongWith(change, pods)])
    const parts = deferred.map((other) => partsOf(other, along))
    const covered = parts.flatMap((part) => part.covered ?? [])
    if (covered.length === 0) return undefined
    return { both: covered.reduce(mergeChanges, change), rest: parts.map(({ rest }) => rest) }
  },
})

/** Parts a change in the one of these Pods and the one of all others. */
function partsOf(
  change: Change,
  along: ReadonlySet<string>,
): { readonly covered?: Change; readonly rest?: Change } {
  const { pods = [] } = change
  const covered = pods.filter((pod) => along.has(pod))
  if (covered.length === 0) return { rest: change }
  const left = pods.filter((pod) => !along.has(pod))
  return {
    covered: { ...change, pods: covered },
    ...(left.length > 0 && { rest: { ...change, pods: left } }),
  }
}
