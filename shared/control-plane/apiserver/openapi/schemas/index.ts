export { customSchemas } from './custom.ts'
export { listNameOf, schemaNameOf, subresourceSchemaName } from './names.ts'
export { type GroupVersions, reachedSchemas, recordedSchema, referencesIn } from './reached.ts'
