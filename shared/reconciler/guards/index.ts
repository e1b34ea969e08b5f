export { type Contest, contestOf, otherWriter } from './contests.ts'
export { type Fight, quietOf, SliceFightError } from './fights.ts'
export {
  GUARDS,
  type Guard,
  type GuardAlarm,
  type GuardLimits,
  type GuardProblem,
  type GuardSummary,
  guardAlarms,
  guardEvents,
  guardProblems,
} from './guard.ts'
export {
  fightEvent,
  handoverEvent,
  holdEvent,
  pausedEvent,
  pausedReason,
  refusedAddressesEvent,
  secondControllerAdvice,
  secondControllerEvent,
  unreachableEvent,
} from './guard-events.ts'
export { createGuardMetrics, type GuardMetrics } from './guard-metrics.ts'
export { type GuardedPlan, guardPlan } from './guard-plan.ts'
export { createGuards, type Guards, type GuardsSettings } from './guards.ts'
export { type Handover, handoverOf, mayBeMistaken } from './handover.ts'
export { type Hold, heldSince } from './held-plan.ts'
export { slicesAfter, slicesByName } from './published-addresses.ts'
export { type AddressFilter, createAddressFilter } from './refused-addresses.ts'
export {
  SECOND_CONTROLLER_MS,
  type SecondController,
  type SliceWriters,
  secondControllerAmong,
  writersOf,
} from './second-controller.ts'
export {
  ANNOTATION_HELD_SINCE,
  ANNOTATION_REPAIRS,
  ANNOTATION_UNVERIFIED_SINCE,
  isNoted,
} from './slice-annotations.ts'
export { sealNotes, withOwnNotes } from './slice-notes.ts'
export { isUnreachable, policyFor, type UnreachablePolicy, unverified } from './unreachable.ts'
