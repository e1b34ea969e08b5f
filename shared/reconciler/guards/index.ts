export {
  type Contest,
  contestOf,
  type Fight,
  fightEvent,
  otherWriter,
  quietOf,
  SliceFightError,
} from './fights/index.ts'
export {
  type Guard,
  type GuardAlarm,
  type GuardLimits,
  type GuardProblem,
  type GuardSettings,
  type GuardSummary,
  HOLDING,
} from './guard.ts'
export { GUARDS, guardAlarms, guardEvents, guardProblems } from './guard-list.ts'
export { createGuardMetrics, type GuardMetrics } from './guard-metrics.ts'
export {
  checkPlan,
  type GuardedPlan,
  type GuardFinding,
  guardPlan,
  isBlocked,
  summarize,
} from './guard-plan.ts'
export { createGuards, type Guards, type GuardsSettings } from './guards.ts'
export { type Handover, handoverEvent, handoverOf, type LeftBehind, mayBeMistaken } from './handover.ts'
export { heldSince } from './held-plan.ts'
export { pausedEvent, pausedReason } from './paused.ts'
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
export { secondControllerAdvice } from './second-controller-guard.ts'
export {
  isUnreachable,
  policyFor,
  type UnreachablePolicy,
  unreachableEvent,
  unverified,
} from './unreachable.ts'
