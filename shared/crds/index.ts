export { AGE, type CustomResourceDefinition, customResourceDefinition, yamlOf } from './definition.ts'
export { endpointSelectorDefinition, endpointSelectorRoles } from './endpoint-selector.ts'
export { conditions, listMap, objectSchema, type Schema } from './schema.ts'
