export { type Contest, type Contests, contestOf, createContests, otherWriter } from './contests.ts'
export { createDeletionFights, type DeletionFights } from './deletion-fights.ts'
export type { Repairs } from './fight-backoff.ts'
export { checkFights, type Fight, otherSliceflow, quietOf, SliceFightError } from './fights.ts'
