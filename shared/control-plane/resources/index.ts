export { withBuiltinAdmission } from './admission.ts'
export { builtinResources, type ResourceSet } from './builtin.ts'
export { createClassifier } from './flow-control/index.ts'
export {
  type CountedResource,
  masked,
  quotaStatus,
  resourceListAt,
  sameAmounts,
  usageOf,
} from './resource-quotas/index.ts'
export { isTokenSecret, SECRET_ACCOUNT_NAME, SECRET_ACCOUNT_UID } from './secrets.ts'
