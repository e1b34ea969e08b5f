export { hasHints, isReady } from './hints.ts'
export { type HintMode, hintModeOf } from './mode.ts'
export { reconcileHints, topologyProblem } from './reconcile-hints.ts'
export { type ZoneCpu, zoneCpuOf, zoneCpuProblem } from './zone-cpu.ts'
