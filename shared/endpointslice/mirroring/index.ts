export { isLock, isMirror, isMirrored } from './is-mirrored.ts'
export {
  type MirrorEvent,
  type MirrorOptions,
  type MirrorPlan,
  type MirrorState,
  planMirror,
} from './plan-mirror.ts'
