export { didYouMean, nearest } from './nearest.ts'
export { safeParse } from './safe-parse.ts'
