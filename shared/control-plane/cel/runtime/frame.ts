import type { CelError } from '../errors.ts'
import type { CelValue } from '../values/value.ts'
import type { CostMeter } from './budget.ts'

/** Reads a variable of the evaluation; undefined where there is none of that name. */
export type ReadVariable = (name: string) => CelValue | undefined

/** A failure that stands where a value would: `all` and `exists` go on after one. */
export class Failure {
  readonly error: CelError

  constructor(error: CelError) {
    this.error = error
  }
}

/** The state of one evaluation. */
export interface Frame {
  readonly variable: ReadVariable
  /** Variables of comprehensions, by the slots that the plan gives them. */
  readonly slots: (CelValue | Failure)[]
  readonly meter: CostMeter
}

/** A part ready to be evaluated. Throws CelError where it fails, CostError where it costs too much. */
export type Step = (frame: Frame) => CelValue

export function readSlot(frame: Frame, slot: number): CelValue {
  const value = frame.slots[slot] ?? null
  if (value instanceof Failure) throw value.error
  return value
}
