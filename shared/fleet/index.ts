export { customResourceDefinitions } from './crds/index.ts'
export {
  dryRunFleetSync,
  type FleetDryRun,
  type FleetDryRunOptions,
  type MemberDryRun,
} from './dry-run-fleet-sync.ts'
export { withConditions } from './export/conditions.ts'
export { EXPORT_KIND_RULE } from './export-kind.ts'
export type { FleetReconcilerOptions } from './fleet-context.ts'
export { createFleetIndex, type FleetIndex } from './fleet-index/fleet-index.ts'
export type { FleetKind, MemberIndex } from './fleet-index/member-index.ts'
export { type LeftOut, leftOutReason, portText } from './import/left-out.ts'
export { derivedServiceName, IMPORT_OWNER } from './import-owner.ts'
export { mergeExports } from './merging/merge-exports.ts'
export type { ClusterExport, Merge, WantedCondition } from './merging/merged-service.ts'
export { EXPORT_TO_RULE } from './merging/parse-export.ts'
export type { PortChoice } from './policy/choose-endpoints.ts'
export { FLEET_POLICY_RULE, type FleetPolicy } from './policy/fleet-policy.ts'
export { findServed } from './read/find-served.ts'
export { createFleetReconciler } from './reconcile-fleet.ts'
export {
  ABOUT_VERSIONS,
  type ClusterProperty,
  type ClusterSelector,
  type Condition,
  clusterProperties,
  type ImportPort,
  type ImportType,
  MCS_GROUP,
  MCS_VERSIONS,
  type McsVersion,
  type ServiceExport,
  type ServiceImport,
  serviceExports,
  serviceImports,
} from './resources.ts'
export * from './well-known.ts'
