export { safeParse } from './safe-parse.ts'
