export {
  type ClusterSet,
  type ClusterSetMember,
  clusterSetOf,
  exportsServices,
  fleetKey,
  holdsImports,
  importsServices,
  membersDigest,
  sharesNamespace,
} from './cluster-set.ts'
export { customResourceDefinitions } from './crds/index.ts'
export {
  dryRunFleetSync,
  type FleetDryRun,
  type FleetDryRunOptions,
  type MemberDryRun,
} from './dry-run-fleet-sync.ts'
export type { ClusterExport, Merge, WantedCondition } from './export/index.ts'
export { withConditions } from './export/index.ts'
export { EXPORT_KIND_RULE } from './export-kind.ts'
export type { FleetReconcilerOptions } from './fleet-context.ts'
export {
  createFleetIndex,
  type FleetIndex,
  type FleetKind,
  type MemberIndex,
} from './fleet-index/index.ts'
export { createFleetMetrics, createFleetTotals, type FleetTotal } from './fleet-metrics.ts'
export { type LeftOut, leftOutReason, portText } from './import/index.ts'
export { derivedServiceName, IMPORT_OWNER } from './import-owner.ts'
export { EXPORT_TO_RULE, mergeExports } from './merging/index.ts'
export { FLEET_POLICY_RULE, type FleetPolicy, type PortChoice } from './policy/index.ts'
export {
  clusterSetProblems,
  findServed,
  listFleetKeys,
  resolveClusterSets,
  unknownEntries,
} from './read/index.ts'
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
