export { compare, type Difference } from './compare.ts'
