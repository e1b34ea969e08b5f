export { conflictCondition, mergePorts, type Offers } from './conflicts.ts'
export { createPortUnion } from './port-union.ts'
export { type Offer, type Reading, readExport } from './read-export.ts'
