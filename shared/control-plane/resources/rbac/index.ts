export { clusterRoleBindings, roleBindings } from './bindings.ts'
export { clusterRoles, roles } from './roles.ts'
