export {
  MemoryBackend,
  type PastChange,
  type StorageBackend,
  type StoredChange,
  type StoredRow,
  type StoredState,
} from './backend.ts'
export { type ExpiryOptions, startExpiry } from './expiry.ts'
export type { Change } from './history.ts'
export { type ChangeListener, ObjectStore } from './object-store.ts'
export { SqliteBackend } from './sqlite-backend.ts'
