export { type Change, mergeChanges } from './change.ts'
export { createChangeQueue } from './change-queue.ts'
export {
  ENDPOINT_SELECTOR,
  type KeyText,
  keyFields,
  keyText,
  type OtherOwnerKind,
  type OwnerName,
  type OwnerText,
  ownerOf,
  ownerText,
  parseKeyText,
  parseOwnerText,
  type ServiceKey,
} from './key.ts'
export { fixedTime, keyBucket, RateLimiter } from './rate-limiter.ts'
export {
  type EndpointFacts,
  HINTED_PODS,
  HINTED_SLICES,
  type HintFacts,
  type KeyHints,
  MAX_FACTS_LENGTH,
  MAX_READ_AHEAD,
  type NamedPort,
  type PodFacts,
  type ReadAhead,
  type SyncHint,
} from './sync-hint.ts'
