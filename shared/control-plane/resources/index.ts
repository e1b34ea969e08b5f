export { withBuiltinAdmission } from './admission.ts'
export { builtinResources, type ResourceSet } from './builtin.ts'
export { createClassifier } from './flow-control/index.ts'
