export { EXPORT_TO_RULE, reaches } from './export-to.ts'
export { conflictCondition, mergePorts, type Offers } from './merge-ports.ts'
export { type MergeOptions, type Offer, type ParsedExport, parseExport } from './parse-export.ts'
export { createPortUnion } from './port-union.ts'
