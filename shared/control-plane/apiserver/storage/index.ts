export {
  MemoryBackend,
  type PastChange,
  type StorageBackend,
  type StoredChange,
  type StoredRow,
  type StoredState,
} from './backend.ts'
export type { Change } from './change.ts'
export { startExpiry } from './expiry.ts'
export { ObjectStore } from './object-store.ts'
export { SqliteBackend } from './sqlite-backend.ts'
export type { ObjectRecord } from './stored-object.ts'
