export { type Clock, systemClock, type Timer } from './clock.ts'
export { TokenBucket } from './token-bucket.ts'
export { createTurns, type NextTurn } from './turns.ts'
export { type Deferral, type ProcessingTime, type Queued, WorkQueue } from './work-queue.ts'
