import { FIGHTS_GUARD } from './fights/fights-guard.ts'
import type { Guard, GuardAlarm, GuardProblem } from './guard.ts'
import { HELD_GUARD } from './held-plan.ts'
import { OVERSIZED_GUARD } from './oversized.ts'
import { PAUSED_GUARD } from './paused.ts'
import { REFUSED_GUARD } from './refused/refused-addresses.ts'
import { SECOND_CONTROLLER_GUARD } from './second-controller-guard.ts'
import { UNREACHABLE_GUARD } from './unreachable.ts'

/**
 * Every guard, in the order in which a plan is checked, and of all that is made of them. Those that block no
 * plan come first, as the others are not asked once a plan is blocked.
 */
export const GUARDS: readonly Guard[] = [
  REFUSED_GUARD,
  SECOND_CONTROLLER_GUARD,
  OVERSIZED_GUARD,
  HELD_GUARD,
  FIGHTS_GUARD,
  UNREACHABLE_GUARD,
  PAUSED_GUARD,
]

export const guardAlarms = (): GuardAlarm[] => GUARDS.flatMap(({ alarm }) => alarm ?? [])

/** Returns the problems of the guards that a person has to act on, by their names. */
export const guardProblems = (): ReadonlyMap<string, GuardProblem> =>
  new Map(GUARDS.flatMap(({ name, problem }) => (problem === undefined ? [] : [[name, problem] as const])))
