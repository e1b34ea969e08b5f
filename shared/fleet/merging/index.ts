export { EXPORT_TO_RULE } from './export-to.ts'
export { mergeExports } from './merge-exports.ts'
export { createPortUnion } from './port-union.ts'
