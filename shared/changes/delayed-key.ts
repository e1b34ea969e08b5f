import type { Delay } from './send-delay.ts'
import type { Timer, Timers } from './timers.ts'
import { mergeWaiting, type WaitingChange } from './waiting-change.ts'

/**
 * A key that was handed out not long ago, with what came since in two streams: patient changes rest by a
 * clock of their own, and are not taken along by others. Each further Pod is another slice to write.
 */
export interface DelayedKey {
  /** Begins a new rest, as the key was handed out. */
  rest(rest: Delay): void
  /** Notes that patient changes were among what was handed out: further ones rest. */
  deferLowPriority(): void
  /** Notes that the Service's slices were seen written. */
  written(): void
  add(waiting: WaitingChange): void
  /**
   * Removes and returns what need not wait any longer; with `isEnd` everything, and nothing rests any longer.
   */
  take(isEnd?: boolean): WaitingChange | undefined
  /** Removes what a look at this covers in any case, and returns both as one. */
  cover(taken: WaitingChange): WaitingChange
  /** It neither rests nor waits. */
  readonly isQuiet: boolean
  waiting(): WaitingChange[]
}

/** @param onDue called when one of the streams need not rest any longer */
export function createDelayedKey(onDue: () => void, timers: Timers): DelayedKey {
  let urgent: WaitingChange | undefined
  let deferrable: WaitingChange | undefined
  let deferrableMs: number | undefined
  let deferrableTimer: Timer | undefined
  let look: Timer | undefined
  let isWritten = false
  /** It has lasted as long as it must. */
  let hasLasted = false

  function endLook(): void {
    timers.clear(look)
    look = undefined
    onDue()
  }

  function endDeferrableDelay(): void {
    deferrableTimer = undefined
    onDue()
  }

  function deferLowPriority(): void {
    if (deferrableMs) deferrableTimer ??= timers.set(endDeferrableDelay, deferrableMs)
  }

  /**
   * Reports whether a change may wait. A Pod that changes again while it waits may be one that began to
   * terminate, and does not serve any more.
   */
  const isDeferrable = ({ change }: WaitingChange): boolean =>
    change.deferrable === true &&
    deferrableMs !== undefined &&
    !change.pods?.some((pod) => deferrable?.change.pods?.includes(pod))

  const waiting = (): WaitingChange[] => [urgent, deferrable].filter((each) => each !== undefined)

  return {
    rest({ minMs, maxMs, deferrableMs: ofDeferrable }) {
      deferrableMs = ofDeferrable
      timers.clear(look)
      look = undefined
      if (maxMs === 0) return
      isWritten = false
      hasLasted = false
      look = timers.set(() => {
        if (isWritten || maxMs <= minMs) return endLook()
        hasLasted = true
        look = timers.set(endLook, maxMs - minMs)
      }, minMs)
    },
    deferLowPriority,
    written() {
      if (hasLasted && look !== undefined) endLook()
      else isWritten = true
    },
    add(later) {
      if (isDeferrable(later)) deferrable = mergeWaiting(deferrable, later)
      else urgent = mergeWaiting(urgent, later)
    },
    take(isEnd = false) {
      if (isEnd) {
        timers.clear(look)
        timers.clear(deferrableTimer)
        look = undefined
        deferrableTimer = undefined
      }
      if (look !== undefined) return undefined
      let taken = urgent
      urgent = undefined
      if (deferrable !== undefined && deferrableTimer === undefined) {
        taken = mergeWaiting(taken, deferrable)
        deferrable = undefined
        if (!isEnd) deferLowPriority()
      }
      return taken
    },
    cover(taken) {
      if (deferrable === undefined) return taken
      const { pods } = taken.change
      const names = deferrable.change.pods
      if (pods === undefined) {
        const both = mergeWaiting(taken, deferrable)
        deferrable = undefined
        return both
      }
      const covered = names?.filter((name) => pods.includes(name)) ?? []
      if (names === undefined || covered.length === 0) return taken
      const left = names.filter((name) => !pods.includes(name))
      const both = mergeWaiting(taken, withPods(deferrable, covered))
      deferrable = left.length === 0 ? undefined : withPods(deferrable, left)
      return both
    },
    get isQuiet() {
      return look === undefined && deferrableTimer === undefined && waiting().length === 0
    },
    waiting,
  }
}

const withPods = ({ change, since }: WaitingChange, pods: readonly string[]): WaitingChange => ({
  change: { ...change, pods },
  since,
})
