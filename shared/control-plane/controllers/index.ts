export { startClusterRoleAggregation } from './cluster-role-aggregation.ts'
export { createSystemNamespaces, NamespaceController } from './namespace-controller.ts'
