export { ControllerState } from './controller-state.ts'
export type { Transition } from './predicate.ts'
export type { TargetChange } from './target-table.ts'
