export { BoundedCache } from './bounded-cache.ts'
export { errorMessage } from './error-message.ts'
export { isRecord } from './is-record.ts'
export { percentile } from './percentile.ts'
