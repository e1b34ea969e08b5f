export { conflictVerdict, mergePorts, type Offers } from './conflicts.ts'
export { type Offer, type Reading, readExport } from './read-export.ts'
