export { type Contest, contestOf, type Fight, otherWriter, quietOf, SliceFightError } from './fights/index.ts'
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
export {
  ANNOTATION_HELD_SINCE,
  ANNOTATION_REPAIRS,
  ANNOTATION_UNVERIFIED_SINCE,
  isNoted,
  sealNotes,
  slicesAfter,
  slicesByName,
  withOwnNotes,
} from './published/index.ts'
export { type AddressFilter, createAddressFilter } from './refused/index.ts'
export {
  SECOND_CONTROLLER_MS,
  type SecondController,
  type SliceWriters,
  secondControllerAmong,
  writersOf,
} from './second-controller.ts'
export { isUnreachable, policyFor, type UnreachablePolicy, unverified } from './unreachable.ts'
