import type { Rest } from './rest.ts'
import type { Timer, Timers } from './timers.ts'
import { mergeWaiting, type WaitingChange } from './waiting-change.ts'

/**
 * A key that was handed out not long ago, with what came since in two streams: patient changes rest by a
 * clock of their own, and are not taken along by others. Each further Pod is another slice to write.
 */
export interface RestingKey {
  /** Begins a new rest, as the key was handed out. */
  rest(rest: Rest): void
  /** Notes that patient changes were among what was handed out: further ones rest. */
  restPatiently(): void
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

/** @param onRested called when one of the streams need not rest any longer */
export function createRestingKey(onRested: () => void, timers: Timers): RestingKey {
  let urgent: WaitingChange | undefined
  let patient: WaitingChange | undefined
  let patientMs: number | undefined
  let patientRest: Timer | undefined
  let look: Timer | undefined
  let isWritten = false
  /** It has lasted as long as it must. */
  let hasLasted = false

  function endLook(): void {
    timers.clear(look)
    look = undefined
    onRested()
  }

  function endPatientRest(): void {
    patientRest = undefined
    onRested()
  }

  function restPatiently(): void {
    if (patientMs) patientRest ??= timers.set(endPatientRest, patientMs)
  }

  /**
   * Reports whether a change may wait. A Pod that changes again while it waits may be one that began to
   * terminate, and does not serve any more.
   */
  const isPatient = ({ change }: WaitingChange): boolean =>
    change.patient === true &&
    patientMs !== undefined &&
    !change.pods?.some((pod) => patient?.change.pods?.includes(pod))

  const waiting = (): WaitingChange[] => [urgent, patient].filter((each) => each !== undefined)

  return {
    rest({ leastMs, mostMs, patientMs: ofPatient }) {
      patientMs = ofPatient
      timers.clear(look)
      look = undefined
      if (mostMs === 0) return
      isWritten = false
      hasLasted = false
      look = timers.set(() => {
        if (isWritten || mostMs <= leastMs) return endLook()
        hasLasted = true
        look = timers.set(endLook, mostMs - leastMs)
      }, leastMs)
    },
    restPatiently,
    written() {
      if (hasLasted && look !== undefined) endLook()
      else isWritten = true
    },
    add(later) {
      if (isPatient(later)) patient = mergeWaiting(patient, later)
      else urgent = mergeWaiting(urgent, later)
    },
    take(isEnd = false) {
      if (isEnd) {
        timers.clear(look)
        timers.clear(patientRest)
        look = undefined
        patientRest = undefined
      }
      if (look !== undefined) return undefined
      let taken = urgent
      urgent = undefined
      if (patient !== undefined && patientRest === undefined) {
        taken = mergeWaiting(taken, patient)
        patient = undefined
        if (!isEnd) restPatiently()
      }
      return taken
    },
    cover(taken) {
      if (patient === undefined) return taken
      const { pods } = taken.change
      const names = patient.change.pods
      if (pods === undefined) {
        const both = mergeWaiting(taken, patient)
        patient = undefined
        return both
      }
      const covered = names?.filter((name) => pods.includes(name)) ?? []
      if (names === undefined || covered.length === 0) return taken
      const left = names.filter((name) => !pods.includes(name))
      const both = mergeWaiting(taken, withPods(patient, covered))
      patient = left.length === 0 ? undefined : withPods(patient, left)
      return both
    },
    get isQuiet() {
      return look === undefined && patientRest === undefined && waiting().length === 0
    },
    waiting,
  }
}

const withPods = ({ change, since }: WaitingChange, pods: readonly string[]): WaitingChange => ({
  change: { ...change, pods },
  since,
})
