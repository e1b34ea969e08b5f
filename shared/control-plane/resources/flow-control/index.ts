export { createClassifier } from './classify.ts'
export { flowSchemas } from './flow-schemas.ts'
export { priorityLevels } from './priority-levels.ts'
