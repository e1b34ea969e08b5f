export { type CheckContext, type Finding, type Fleet, failure, type Mark } from './check.ts'
export { CALL_TIMEOUT_MS, ExaminedCluster } from './examined-cluster.ts'
export { FAIL_ON, type FailOn } from './fail-on.ts'
export { type ClusterPreflight, describePreflight, type PreflightReport, preflight } from './preflight.ts'
export {
  FLEET_ROLES,
  type FleetRole,
  type Permission,
  type RoleGroup,
  type RoleOptions,
  readRoleGroup,
  roleFilesOf,
  type SelectorRole,
} from './roles.ts'
export { SUPPORTED_MINORS, SUPPORTED_TEXT } from './supported-versions.ts'
