export { hasHints } from './hints.ts'
export { type HintMode, hintModeOf } from './mode.ts'
export { reconcileHints } from './reconcile-hints.ts'
export { type ZoneCpu, zoneCpuOf } from './zone-cpu.ts'
