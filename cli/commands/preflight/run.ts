import type { ClusterSet } from '../../../shared/cluster-sets/index.ts'
import {
  type ClusterConfig,
  createAws,
  createClusterDirectory,
  createClusterIdentities,
  parseClusters,
  type SameClusterError,
} from '../../../shared/clusters/index.ts'
import {
  type ApiClient,
  type ClusterConnection,
  type KubeconfigFiles,
  loadClusters,
  loadUsableClusters,
  shellWord,
} from '../../../shared/kubernetes/index.ts'
import type { Settings } from '../../../shared/settings/index.ts'
import { SILENT_LOG } from '../../../shared/telemetry/index.ts'
import { errorMessage, once } from '../../../shared/values/index.ts'
import { readDeployment } from '../../deployment/read-deployment.ts'
import { EXIT_CODES } from '../../exit-codes.ts'
import { planFleet } from '../../explain/index.ts'
import type { ClustersFlags } from '../../options/common.ts'
import { type Flags, groupFlags } from '../../options/flags.ts'
import { clusterSetsOfFlags } from '../../options/fleet.ts'
import { kubeconfigFiles } from '../../options/kubeconfig.ts'
import { settingsOf } from '../../options/settings.ts'
import { printReport } from '../../output/print-report.ts'
import { findInstallation } from '../../package.ts'
import {
  CALL_TIMEOUT_MS,
  type CheckContext,
  type ClusterPreflight,
  describePreflight,
  ExaminedCluster,
  type Fleet,
  type FleetRole,
  failure,
  type PreflightReport,
  preflight,
  type RoleGroup,
  type RoleOptions,
  readRoleGroup,
  type SelectorRole,
} from '../../preflight/index.ts'
import { fittedText, terminalOf } from '../../terminal/index.ts'
import { UsageError } from '../../usage.ts'
import { GROUPS } from './command.ts'

interface FoundClusters {
  readonly connections: readonly ClusterConnection[]
  /** Reports of clusters that have no connection. Default: none. */
  readonly unusable?: readonly ClusterPreflight[]
}

interface ExamineOptions {
  readonly settings: Settings
  readonly kubeconfig: KubeconfigFiles
  /** Time limit of every call, in milliseconds; default 10,000. */
  readonly timeoutMs?: number
}

export const run = (flags: Flags): Promise<void> => runPreflight(flags)

/**
 * Prints a report, and sets the exit code by its outcome.
 * @param timeoutMs of every call; default 10,000
 * @throws UsageError @throws KubeconfigError
 */
export async function runPreflight(flags: Flags, timeoutMs = CALL_TIMEOUT_MS): Promise<void> {
  const { clusters, deployment, printed } = groupFlags(flags, GROUPS)
  const read = deployment.stack === undefined ? undefined : await readDeployment(deployment.stack)
  const given = Object.entries(flags).filter(([, value]) => value !== undefined)
  const settings = settingsOf({ ...read?.settings, ...Object.fromEntries(given) })
  const { clusters: json } = deployment
  const deployed = json === undefined ? read?.clusters : asUsage(() => parseClusters(json))
  const found = await (deployed === undefined ? clustersOfContexts(clusters) : deployedClusters(deployed))
  // No context is known for a deployment's cluster.
  const kubeconfig = deployed === undefined ? clusters.kubeconfig : []
  const report = await examine(found, flags, { settings, kubeconfig, timeoutMs })
  printReport(report, printed.output, describePreflight)
  if (report.outcome === 'failure') process.exitCode = EXIT_CODES.failed.code
  if (report.outcome === 'warning' && !printed.ignoreWarnings) process.exitCode = EXIT_CODES.warnings.code
}

/** Finds the clusters of a deployment. @throws Error if one is not found, or two cannot be distinguished */
async function deployedClusters(clusters: readonly ClusterConfig[]): Promise<FoundClusters> {
  const directory = createClusterDirectory({ clusters, aws: createAws(), logger: SILENT_LOG })
  const connections = await directory.connections()
  const { ambiguous, unsearched } = directory.problems()
  const [problem] = [...ambiguous.values(), ...unsearched]
  if (problem !== undefined) throw problem instanceof Error ? problem : new Error(String(problem))
  return { connections }
}

/**
 * Loads contexts: what is wrong with one of them is its report, and the others are checked.
 * @throws KubeconfigError where none can be used
 */
async function clustersOfContexts({ kubeconfig, context }: ClustersFlags): Promise<FoundClusters> {
  const { connections, errors } = await loadUsableClusters(kubeconfig, context)
  const [first] = errors.values()
  if (connections.length === 0 && first !== undefined) throw first
  const unusable = [...errors].map(([name, { message }]) => ({
    name,
    checks: [{ name: 'kubeconfig', ...failure(message) }],
  }))
  return { connections, unusable }
}

function asUsage<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw new UsageError(`--clusters: ${errorMessage(error)}`)
  }
}

/**
 * Checks the clusters of `run`, and prints the findings on standard error.
 * @throws Error where `run` would fail
 */
export async function assertPreflight(flags: Flags): Promise<void> {
  const { kubeconfig, context } = groupFlags(flags, GROUPS).clusters
  const connections = await loadClusters(kubeconfig, context)
  const report = await examine({ connections }, flags, { settings: settingsOf(flags), kubeconfig })
  process.stderr.write(fittedText(describePreflight(report), terminalOf(process.stderr)))
  if (report.outcome === 'failure') throw new Error('nothing was started, as a check of --preflight failed')
}

/** Checks clusters as the flags say; progress is printed on standard error. */
async function examine(
  { connections, unusable = [] }: FoundClusters,
  flags: Flags,
  { settings, kubeconfig, timeoutMs = CALL_TIMEOUT_MS }: ExamineOptions,
): Promise<PreflightReport> {
  const { fleet, checks } = groupFlags(flags, GROUPS)
  const names = [...connections, ...unusable].map(({ name }) => name)
  const sets = clusterSetsOfFlags(fleet, settings.clusterSets, names)
  const clusters = connections.map(
    (connection) =>
      new ExaminedCluster(connection, {
        kubectl: kubectlOf(kubeconfig, connection.name),
        fleetRole: sets.flatMap(({ members }) => members).find(({ cluster }) => cluster === connection.name)
          ?.role,
        settings,
        timeoutMs,
      }),
  )
  try {
    const fleets = sets.map((set) => fleetOf(set, clusters, settings))
    const sameClusters = once(() => compareClusters(clusters, timeoutMs))
    const contexts = await Promise.all(
      clusters.map(
        async (cluster): Promise<CheckContext> => ({
          ...{ cluster, clusters, settings, fleets, sameClusters, now: Date.now },
          roles: await rolesOf(cluster, settings, checks.canary),
        }),
      ),
    )
    return await preflight({ contexts, unusable, failOn: checks.failOn, onProgress: printProgress })
  } finally {
    for (const cluster of clusters) cluster.close()
  }
}

/** Plans a set once, however many clusters want to know their part. */
function fleetOf(set: ClusterSet, clusters: readonly ExaminedCluster[], settings: Settings): Fleet {
  const clientOf = (name: string): ApiClient => {
    const found = clusters.find((cluster) => cluster.name === name)
    if (found !== undefined) return found.client
    throw new Error(`cluster ${name} of the cluster set ${set.name} is not among those that are checked`)
  }
  const { signal } = new AbortController()
  return {
    set,
    plan: once(() => planFleet({ set, clientOf, settings, logger: SILENT_LOG, signal, now: Date.now })),
  }
}

async function compareClusters(
  clusters: readonly ExaminedCluster[],
  timeoutMs: number,
): Promise<readonly SameClusterError[]> {
  const identities = createClusterIdentities({ logger: SILENT_LOG })
  for (const { client, connection } of clusters) identities.admit(client, connection)
  return identities.compare(timeoutMs)
}

function printProgress(waiting: readonly string[]): void {
  process.stderr.write(`sliceflow: checking; waiting for ${waiting.join(', ')}\n`)
}

/** Reads the roles that the settings need in a cluster, from the files that `sliceflow rbac` prints. */
function rolesOf({ fleetRole }: ExaminedCluster, settings: Settings, canary = false): Promise<RoleGroup[]> {
  const { shadow: readOnly, mirrorEndpoints, endpointSelectors, serviceProjection } = settings
  const selectorRole: SelectorRole = serviceProjection ? 'projection' : 'slices'
  const wanted: readonly RoleOptions[] = [
    { readOnly },
    ...(mirrorEndpoints ? [{ readOnly, mirroring: true }] : []),
    ...(endpointSelectors ? [{ readOnly, endpointSelectors: selectorRole }] : []),
    ...(fleetRole === undefined ? [] : [{ readOnly, fleet: partOf(fleetRole) }]),
    ...(canary ? [{ canary }] : []),
  ]
  const { folder } = findInstallation()
  return Promise.all(wanted.map((options) => readRoleGroup(folder, options)))
}

/** Who leaves a set has what was imported there removed. */
const partOf = (role: NonNullable<ExaminedCluster['fleetRole']>): FleetRole =>
  role === 'leave' ? 'import' : role

/** Returns the command by which a reader reaches the cluster, too. */
function kubectlOf(files: KubeconfigFiles, context: string): string {
  // In a pod there is neither a file nor a context.
  if (files.length === 0) return 'kubectl'
  const usual = kubeconfigFiles(process.env)
  const [file = ''] = files
  const isUsual = files.length > 1 || usual.includes(file)
  return [
    'kubectl',
    ...(isUsual ? [] : ['--kubeconfig', shellWord(file)]),
    '--context',
    shellWord(context),
  ].join(' ')
}
