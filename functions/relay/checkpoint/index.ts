export { type AcceptedKeys, type CheckpointFile, createCheckpointFile } from './checkpoint.ts'
export { type Checkpointer, changedSince, createCheckpointer } from './checkpointer.ts'
export { createInitialSync, type KnownKeys } from './initial-sync.ts'
