import type { Command } from 'commander'
import {
  type ApiClient,
  type ClusterConnection,
  createApiClient,
  type KubeconfigFiles,
  loadClusters,
  SERVICES,
} from '../../../../shared/kubernetes/index.ts'
import {
  createNodeReader,
  type ReadableCluster,
  readOnlyClient,
  UnknownClusterError,
} from '../../../../shared/reconciler/index.ts'
import { describeService, explainService } from '../../../explain/index.ts'
import { loadCluster } from '../../load-cluster.ts'
import { assertNoFleetFlags, type FleetOptions } from '../../options/fleet.ts'
import type { NamespaceOptions } from '../../options/namespace.ts'
import type { OutputFormat } from '../../options/output.ts'
import { askRun } from '../../options/run-settings.ts'
import { parseService } from '../../options/service.ts'
import { printReport } from '../../print-report.ts'
import type { RelayReport } from '../../read-relay.ts'
import { UsageError } from '../../usage.ts'
import { runExplainFleet } from './run-fleet.ts'

/** The flags of `explain`, the settings among them as text. */
export interface ExplainOptions extends FleetOptions, NamespaceOptions, Readonly<Record<string, unknown>> {
  readonly kubeconfig: KubeconfigFiles
  /** One at most without a cluster set. */
  readonly context: readonly string[]
  readonly relay?: string
  readonly output: OutputFormat
}

/** Services named where there is none of the name asked for. */
const SERVICES_NAMED = 10

/** @throws UsageError @throws Error when there is no such Service, with the names of those that there are */
export async function runExplain(
  service: string | undefined,
  options: ExplainOptions,
  command: Command,
): Promise<void> {
  const { settings, relay } = await askRun(options, command)
  if (relay?.error !== undefined) throw new Error(`relay ${relay.url}: ${relay.error}`)
  if (options.fleet !== undefined)
    return runExplainFleet(service, { ...options, context: contextsOf(options, relay) }, settings)
  if (service === undefined) throw new UsageError('name a Service: NAME or NAMESPACE/NAME, such as shop/web')
  const named = parseService(service, options.namespace)
  const connection = await loadCluster({ kubeconfig: options.kubeconfig, ...contextOf(options) })
  const namespace = named.namespace ?? connection.namespace ?? 'default'
  const key = { cluster: connection.name, namespace, service: named.name }
  const directory = createDirectory(options.kubeconfig, connection)
  const { signal } = new AbortController()
  try {
    const explained = () => explainService({ clusterOf: directory.clusterOf, key, settings, signal })
    const first = await explained()
    // The pods may be in another cluster of the kubeconfig, which nobody named.
    const report = (await directory.loadMissing()) ? await explained() : first
    if (report === undefined) throw new Error(await absence(directory.client, namespace, named.name))
    printReport(report, options.output, (each) => describeService(each, Date.now()))
  } finally {
    directory.close()
  }
}

/** Returns the contexts that were named, else those of the clusters of the run. */
const contextsOf = ({ context }: ExplainOptions, relay: RelayReport | undefined): readonly string[] =>
  context.length > 0 ? context : (relay?.clusters ?? []).map(({ name }) => name)

/** @throws UsageError where flags are of a cluster set, and there is none */
function contextOf(options: ExplainOptions): { readonly context?: string } {
  const [context, another] = options.context
  if (another !== undefined)
    throw new UsageError(
      'a Service belongs to one cluster: give one --context, or --fleet for a Service of a set',
    )
  assertNoFleetFlags(options)
  return context === undefined ? {} : { context }
}

async function absence(client: ApiClient, namespace: string, name: string): Promise<string> {
  const { items } = await client.list(SERVICES, { namespace })
  const names = items.map(({ metadata }) => metadata?.name ?? '')
  const shown = names.slice(0, SERVICES_NAMED).join(', ')
  const others =
    names.length === 0
      ? 'the namespace has no Services, or does not exist'
      : `the namespace has ${shown}${names.length > SERVICES_NAMED ? ` and ${names.length - SERVICES_NAMED} more` : ''}`
  return `there is no Service ${namespace}/${name} in cluster ${client.cluster}, and no EndpointSlice that names it: ${others}`
}

/** Clients of the clusters that are asked for, none of which can write. */
interface Directory {
  readonly client: ApiClient
  readonly clusterOf: (name: string) => ReadableCluster
  /** Opens those that were asked for in vain. @returns whether there is one more now */
  loadMissing(): Promise<boolean>
  close(): void
}

function createDirectory(kubeconfig: string | KubeconfigFiles, connection: ClusterConnection): Directory {
  const clusters = new Map<string, ReadableCluster>()
  const missing = new Set<string>()
  const open = (one: ClusterConnection): ApiClient => {
    const client = readOnlyClient(createApiClient(one, { role: 'read-only' }))
    clusters.set(one.name, { client, nodes: createNodeReader(client) })
    return client
  }
  const client = open(connection)
  return {
    client,
    clusterOf(name) {
      const cluster = clusters.get(name)
      if (cluster !== undefined) return cluster
      missing.add(name)
      throw new UnknownClusterError(
        `cluster ${name} is not a context in ${[kubeconfig].flat().join(', ') || 'the service account'}`,
      )
    },
    async loadMissing() {
      const before = clusters.size
      for (const name of missing) {
        const found = await loadClusters(kubeconfig, [name]).catch(() => [])
        for (const one of found) open(one)
      }
      return clusters.size > before
    },
    close() {
      for (const cluster of clusters.values()) cluster.client.close()
    },
  }
}
