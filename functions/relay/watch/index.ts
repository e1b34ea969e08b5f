export { createClusterOutage, type OutageCause, RESTORED } from './cluster-outage.ts'
export { createFailureLog } from './failure-log.ts'
export { createMalformedLog } from './malformed-log.ts'
export { watchOutside } from './outside.ts'
export {
  createWatchHandler,
  INACTIVITY_MS,
  type Reflectors,
  startReflectors,
  WATCH_TIMING,
} from './reflectors.ts'
export { createWatchStatus, type WatchStatus } from './watch-status.ts'
