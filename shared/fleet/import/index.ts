export { type LeftOut, leftOutReason, portText } from './left-out.ts'
export { isConflict, SliceConflictError } from './slice-conflict.ts'
export { type ImportOutcome, syncImport, type WantedState } from './sync-import.ts'
export { syncDerived } from './write-import.ts'
