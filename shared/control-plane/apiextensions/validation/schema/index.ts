export { formatWarnings } from './format-warnings.ts'
export { versionSchemaErrors } from './version-schema.ts'
