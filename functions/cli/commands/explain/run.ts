import type { Command } from 'commander'
import { type ApiClient, SERVICES } from '../../../../shared/kubernetes/index.ts'
import { describeService, explainService } from '../../../explain/index.ts'
import { loadCluster } from '../../clusters/load-cluster.ts'
import type { RelayReport } from '../../deployment/read-relay.ts'
import { assertNoFleetFlags, serviceAndSet } from '../../options/fleet.ts'
import { type AskedRun, askRun } from '../../options/run-settings.ts'
import { parseService } from '../../options/service.ts'
import { parseSubject } from '../../options/subject.ts'
import { printReport } from '../../output/print-report.ts'
import { UsageError } from '../../usage.ts'
import { createDirectory } from './directory.ts'
import type { ExplainOptions } from './flags.ts'
import { runExplainFleet } from './run-fleet.ts'
import { runExplainSubject } from './run-subject.ts'

/** Services named where there is none of the name asked for. */
const SERVICES_NAMED = 10

/** @throws UsageError @throws Error when there is nothing of that name, with the names of what there is */
export async function runExplain(
  named: string | undefined,
  options: ExplainOptions,
  command: Command,
): Promise<void> {
  const { settings, relay } = await askRun(options, command)
  if (relay?.error !== undefined) throw new Error(`relay ${relay.url}: ${relay.error}`)
  const [word, fleet] = serviceAndSet(named, options.fleet)
  const given = { ...options, ...(fleet !== undefined && { fleet }) }
  const asked = word === undefined ? undefined : parseSubject(word, options.namespace)
  if (typeof asked === 'object') return runExplainSubject(asked, given, { settings, ...(relay && { relay }) })
  assertServiceFlags(options)
  return explainNamed(asked, given, { settings, ...(relay && { relay }) })
}

async function explainNamed(
  service: string | undefined,
  options: ExplainOptions,
  { settings, relay }: AskedRun,
): Promise<void> {
  if (options.fleet !== undefined)
    return runExplainFleet(service, { ...options, context: contextsOf(options, relay) }, settings)
  if (service === undefined) throw new UsageError('name a Service: NAME or NAMESPACE/NAME, such as shop/web')
  const named = parseService(service, options.namespace)
  const connection = await loadCluster({ kubeconfig: options.kubeconfig, ...contextOf(options) })
  const namespace = named.namespace ?? connection.namespace ?? 'default'
  const key = { cluster: connection.name, namespace, service: named.name }
  const directory = createDirectory(options.kubeconfig, [connection])
  const { signal } = new AbortController()
  try {
    const explained = () => explainService({ clusterOf: directory.clusterOf, key, settings, signal })
    const first = await explained()
    // The Pods may be in another cluster of the kubeconfig, which was not named.
    const report = (await directory.loadMissing()) ? await explained() : first
    if (report === undefined)
      throw new Error(await absence(directory.clusterOf(key.cluster).client, namespace, named.name))
    printReport(report, options.output, (each) => describeService(each, Date.now()))
  } finally {
    directory.close()
  }
}

/** @throws UsageError where a flag is about Pods, Nodes and addresses, and a Service is asked for */
function assertServiceFlags({ from, allNamespaces }: ExplainOptions): void {
  if (from.length > 0)
    throw new UsageError(
      '--from goes with pod/NAME, node/NAME and addresses: `sliceflow history CLUSTER NAMESPACE/NAME --from FILE` tells of a Service',
    )
  if (allNamespaces)
    throw new UsageError('-A goes with pod/NAME, node/NAME and addresses: name the Service as NAMESPACE/NAME')
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
