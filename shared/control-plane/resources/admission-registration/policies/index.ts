export { paramAccess } from './param-access.ts'
export { admissionPolicies } from './policies.ts'
