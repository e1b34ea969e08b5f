export { type Fight, quietOf, SliceFightError } from './fights.ts'
export { fightEvent, holdEvent, refusedAddressesEvent, unreachableEvent } from './guard-events.ts'
export { createGuardMetrics, type GuardMetrics } from './guard-metrics.ts'
export { type GuardedPlan, guardPlan } from './guard-plan.ts'
export { createGuards, type Guards, type GuardsSettings } from './guards.ts'
export { heldSince } from './held-plan.ts'
export { createAddressFilter } from './refused-addresses.ts'
export {
  ANNOTATION_HELD_SINCE,
  ANNOTATION_REPAIRS,
  ANNOTATION_UNVERIFIED_SINCE,
} from './slice-annotations.ts'
export { unverified, watchClusters } from './unreachable.ts'
