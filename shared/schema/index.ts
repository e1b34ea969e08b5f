export { errorMessage } from './error-message.ts'
export { isRecord } from './is-record.ts'
export { didYouMean, nearest } from './nearest.ts'
export { safeParse } from './safe-parse.ts'
