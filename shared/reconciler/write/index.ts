export { bytesOf, UNSEEN_WRITE_MS } from './cache-entry.ts'
export { guardsSaid } from './recorded-slice-client.ts'
export type { PlanBasis } from './removal-causes.ts'
export { createSealedSliceClient, createSliceClient } from './slice-client.ts'
export {
  type CachedState,
  createStateCache,
  type HintedState,
  type StateCache,
  stateAfter,
} from './state-cache.ts'
export { createPlanWriter, type PlanWriter, SliceWriteError, writeSlices } from './write-slices.ts'
