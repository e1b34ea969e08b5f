export { type CheckContext, type Fleet, failure } from './check.ts'
export { CALL_TIMEOUT_MS, ExaminedCluster } from './examined-cluster.ts'
export type { FailOn } from './fail-on.ts'
export { type ClusterPreflight, describePreflight, type PreflightReport, preflight } from './preflight.ts'
export {
  type FleetRole,
  type Permission,
  type RoleGroup,
  type RoleOptions,
  readRoleGroup,
  type SelectorRole,
} from './roles.ts'
export { SUPPORTED_MINORS, SUPPORTED_TEXT } from './supported-versions.ts'
