export { admissionPolicies, paramAccess } from './policies/index.ts'
export { webhookConfigurations } from './webhook-configurations.ts'
