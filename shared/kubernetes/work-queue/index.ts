export { type Clock, systemClock, type Timer } from './clock.ts'
export { TokenBucket } from './token-bucket.ts'
export {
  createTurns,
  type Deferral,
  type NextTurn,
  type ProcessingTime,
  type Queued,
  WorkQueue,
} from './work-queue.ts'
