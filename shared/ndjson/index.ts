export { linesOf } from './lines.ts'
