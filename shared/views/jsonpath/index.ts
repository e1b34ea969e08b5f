export { parsePath } from './parse.ts'
export type { Path } from './path.ts'
export { readPath } from './read.ts'
export { writePath } from './write.ts'
