import type { Command } from 'commander'
import {
  type ApiClient,
  type ClusterConnection,
  type KubeconfigFiles,
  loadClusters,
} from '../../../shared/kubernetes/index.ts'
import type { ReadableCluster } from '../../../shared/reconciler/index.ts'
import type { Settings } from '../../../shared/settings/index.ts'
import { errorMessage } from '../../../shared/values/index.ts'
import { ReadableClusters } from '../../clusters/open-clusters.ts'
import type { RelayReport } from '../../deployment/read-relay.ts'
import { readStack } from '../../deployment/read-stack.ts'
import { readInventory } from '../../inventory/read-inventory.ts'
import { type Flags, type FlagValues, groupFlags } from '../../options/flags.ts'
import { askRun } from '../../options/run-settings.ts'
import { reportText } from '../../output/print-report.ts'
import { terminalOf } from '../../terminal/index.ts'
import { checkServices } from './check-services.ts'
import { GROUPS } from './command.ts'
import { describeStatus } from './describe-status.ts'
import { problemsOf } from './problems.ts'
import { type QueueUrls, readQueues } from './read-queues.ts'
import type { ClusterReport, QueueReport, StatusReport } from './report.ts'

/** Prints the status; the process' exit code is 1 when something is wrong. @throws UsageError */
export async function runStatus(flags: Flags, command: Command): Promise<void> {
  const { clusters: given, scope, queues: named, deployment, printed } = groupFlags(flags, GROUPS)
  const { settings, relay } = await askRun(deployment.relay, flags, command)
  const ofStack = deployment.stack === undefined ? undefined : await readStack(deployment.stack)
  const connections = await loadClusters(given.kubeconfig, given.context)
  const { signal } = new AbortController()
  const { namespace } = printed
  const sample = scope.check ? undefined : scope.sample
  const [clusters, queues] = await Promise.all([
    readClusters(given.kubeconfig, connections, { settings, sample, signal, namespace }),
    readGivenQueues(named, ofStack ?? queuesOf(relay), signal),
  ])
  const found = { clusters, ...(relay && { relay }), ...(queues && { queues }) }
  const problems = problemsOf(found)
  const report: StatusReport = { version: 1, healthy: problems.length === 0, problems, ...found }
  const describe = (): string => describeStatus(report, Date.now(), terminalOf(process.stdout))
  process.stdout.write(reportText(report, printed.output, describe))
  if (!report.healthy) process.exitCode = 1
}

type QueueFlags = FlagValues<typeof GROUPS.queues>

/** Reads the queues. If none was named, they are those that the stack or the run names. */
async function readGivenQueues(
  { queue, sweepQueue, deadLetterQueue }: QueueFlags,
  known: QueueUrls | undefined,
  signal: AbortSignal,
): Promise<QueueReport[] | undefined> {
  const given = { live: queue, sweep: sweepQueue, deadLetters: deadLetterQueue }
  const isGiven = Object.values(given).some((url) => url !== undefined)
  const urls = isGiven ? given : known
  return urls && (await readQueues(urls, signal))
}

function queuesOf({ lanes }: Partial<RelayReport> = {}): QueueUrls | undefined {
  const [live, sweep] = (['live', 'sweep'] as const).map(
    (name) => lanes?.find(({ lane }) => lane === name)?.queue,
  )
  return lanes && { live, ...(sweep !== live && { sweep }) }
}

interface ReadOptions {
  readonly settings: Settings
  readonly sample: number | undefined
  /** The only namespace that is read; default: all. */
  readonly namespace?: string
  readonly signal: AbortSignal
}

/** Reads all clusters at the same time: one that cannot be reached holds up no other. */
async function readClusters(
  kubeconfig: KubeconfigFiles,
  connections: readonly ClusterConnection[],
  options: ReadOptions,
): Promise<ClusterReport[]> {
  const clusters = new ReadableClusters(kubeconfig, connections)
  try {
    const reports = connections.map(({ name }) =>
      readCluster(clusters.clusterOf(name).client, { ...options, clusterOf: clusters.clusterOf }),
    )
    return await Promise.all(reports)
  } finally {
    clusters.close()
  }
}

async function readCluster(
  client: ApiClient,
  { settings, ...options }: ReadOptions & { readonly clusterOf: (name: string) => ReadableCluster },
): Promise<ClusterReport> {
  try {
    const { keys, ...inventory } = await readInventory(client, settings, options.namespace)
    return { ...inventory, reachable: true, check: await checkServices(keys, { ...options, settings }) }
  } catch (error) {
    return {
      name: client.cluster,
      reachable: false,
      error: errorMessage(error),
    }
  }
}
