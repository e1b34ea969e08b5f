export { createDynamoDbPublicationStore } from './dynamodb-store.ts'
export type { Publication, PublicationStore } from './publication-store.ts'
