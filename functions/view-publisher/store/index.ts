export {
  createDynamoDbPublicationStore,
  type DynamoDbStoreOptions,
  PublicationReadError,
} from './dynamodb-store.ts'
export { createMemoryPublicationStore } from './memory-store.ts'
export type { Publication, PublicationStore } from './publication-store.ts'
