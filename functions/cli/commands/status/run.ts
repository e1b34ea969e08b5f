import type { Command } from 'commander'
import * as z from 'zod/mini'
import { type ApiClient, type ClusterConnection, loadClusters } from '../../../../shared/kubernetes/index.ts'
import { type ReadableCluster, UnknownClusterError } from '../../../../shared/reconciler/index.ts'
import type { Settings } from '../../../../shared/settings/index.ts'
import { errorMessage } from '../../../../shared/values/index.ts'
import { readInventory } from '../../../inventory/index.ts'
import { terminalOf } from '../../../terminal/index.ts'
import { openReadable } from '../../clusters/open-readable.ts'
import type { RelayReport } from '../../deployment/read-relay.ts'
import { readStack } from '../../deployment/read-stack.ts'
import { CLUSTERS, type Flags, groupFlags, NAMESPACE, OUTPUT } from '../../options/flag-groups.ts'
import { askRun } from '../../options/run-settings.ts'
import { assertUrl } from '../../options/url.ts'
import { documentText } from '../../output/print-report.ts'
import { checkServices } from './check-services.ts'
import { describeStatus } from './describe-status.ts'
import { problemsOf } from './problems.ts'
import { type QueueUrls, readQueues } from './read-queues.ts'
import type { ClusterReport, QueueReport, StatusReport } from './report.ts'

const GROUPS = {
  clusters: CLUSTERS,
  scope: z.extend(NAMESPACE, {
    check: z.boolean(),
    /** Services to plan in each cluster, without `check`. */
    sample: z.number(),
  }),
  queues: z.object({
    queue: z.optional(z.string()),
    sweepQueue: z.optional(z.string()),
    deadLetterQueue: z.optional(z.string()),
  }),
  deployment: z.object({ stack: z.optional(z.string()) }),
  printed: OUTPUT,
}

/** Long enough for a page of a large list, short enough to wait for. */
const CALL_TIMEOUT_MS = 15_000

/** Prints the status; the process' exit code is 1 when something is wrong. @throws UsageError */
export async function runStatus(flags: Flags, command: Command): Promise<void> {
  const { clusters: given, scope, queues: named, deployment, printed } = groupFlags(flags, GROUPS)
  assertUrls(named)
  const { settings, relay } = await askRun(flags, command)
  const ofStack = deployment.stack === undefined ? undefined : await readStack(deployment.stack)
  const connections = await loadClusters(given.kubeconfig, given.context)
  const { signal } = new AbortController()
  const { namespace } = scope
  const sample = scope.check ? undefined : scope.sample
  const [clusters, queues] = await Promise.all([
    readClusters(connections, { settings, sample, signal, ...(namespace !== undefined && { namespace }) }),
    readGivenQueues(named, ofStack ?? queuesOf(relay), signal),
  ])
  const found = { clusters, ...(relay && { relay }), ...(queues && { queues }) }
  const problems = problemsOf(found)
  const report: StatusReport = { version: 1, healthy: problems.length === 0, problems, ...found }
  process.stdout.write(
    printed.output === 'text'
      ? describeStatus(report, Date.now(), terminalOf(process.stdout))
      : documentText(report, printed.output),
  )
  if (!report.healthy) process.exitCode = 1
}

type QueueFlags = z.output<typeof GROUPS.queues>

/** @throws UsageError */
function assertUrls({ queue, sweepQueue, deadLetterQueue }: QueueFlags): void {
  const urls = { '--queue': queue, '--sweep-queue': sweepQueue, '--dead-letter-queue': deadLetterQueue }
  for (const [flag, url] of Object.entries(urls)) if (url !== undefined) assertUrl(flag, url)
}

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
  connections: readonly ClusterConnection[],
  options: ReadOptions,
): Promise<ClusterReport[]> {
  const clusters = new Map(
    connections.map((one) => [one.name, openReadable(one, { timeoutMs: CALL_TIMEOUT_MS })]),
  )
  const clusterOf = (name: string): ReadableCluster => {
    const cluster = clusters.get(name)
    if (cluster !== undefined) return cluster
    throw new UnknownClusterError(
      `cluster ${name} is not known; known are ${[...clusters.keys()].join(', ')}; name it with --context`,
    )
  }
  try {
    return await Promise.all(
      [...clusters.values()].map(({ client }) => readCluster(client, { ...options, clusterOf })),
    )
  } finally {
    for (const { client } of clusters.values()) client.close()
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
