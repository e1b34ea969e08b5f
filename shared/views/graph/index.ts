export { dot } from './dot.ts'
export { mermaid } from './mermaid.ts'
