import type { Command } from 'commander'
import { ownerNameRule, type ServiceKey } from '../../../shared/changes/index.ts'
import { type ApiClient, SERVICES } from '../../../shared/kubernetes/index.ts'
import type { Settings } from '../../../shared/settings/index.ts'
import { loadCluster, ReadableClusters } from '../../clusters/open-clusters.ts'
import { type OpenFleet, openFleet } from '../../clusters/open-fleet.ts'
import type { RelayReport } from '../../deployment/read-relay.ts'
import {
  describeFleetService,
  describeService,
  explainFleetService,
  explainService,
  listFleetKeys,
} from '../../explain/index.ts'
import type { ClustersFlags } from '../../options/common.ts'
import { type Flags, groupFlags } from '../../options/flags.ts'
import { assertNoFleetFlags, serviceAndSet } from '../../options/fleet.ts'
import { type AskedRun, askRun } from '../../options/run-settings.ts'
import { parseService, parseSubject, splitOwner } from '../../options/subject.ts'
import { printReport } from '../../output/print-report.ts'
import { listText } from '../../terminal/index.ts'
import { UsageError } from '../../usage.ts'
import { type ExplainFlags, GROUPS } from './command.ts'
import { runExplainSubject } from './run-subject.ts'

/** Services named where there is none of the name asked for. */
const SERVICES_NAMED = 10

/** @throws UsageError @throws Error when there is nothing of that name, with the names of what there is */
export async function runExplain(named: string | undefined, flags: Flags, command: Command): Promise<void> {
  const given = groupFlags(flags, GROUPS)
  const run = await askRun(given.asked.relay, flags, command)
  const { relay } = run
  if (relay?.error !== undefined) throw new Error(`relay ${relay.url}: ${relay.error}`)
  const [word, fleet] = serviceAndSet(named, given.fleet.fleet)
  const all = { ...given, fleet: { ...given.fleet, fleet } }
  const { ownerKind, rest } = splitOwner(word ?? '')
  if (ownerKind !== undefined) {
    assertServiceFlags(given)
    return explainNamed(rest, all, { ...run, ownerKind })
  }
  const asked = word === undefined ? undefined : parseSubject(word, given.asked.namespace)
  if (typeof asked === 'object') return runExplainSubject(asked, all, run)
  assertServiceFlags(given)
  return explainNamed(asked, all, run)
}

async function explainNamed(
  service: string | undefined,
  flags: ExplainFlags,
  { settings, relay, ownerKind }: AskedRun & Pick<ServiceKey, 'ownerKind'>,
): Promise<void> {
  const { clusters, asked, fleet } = flags
  const { kubeconfig } = clusters
  if (fleet.fleet !== undefined && ownerKind !== undefined)
    throw new UsageError('--fleet is about Services: leave it out')
  if (fleet.fleet !== undefined)
    return runExplainFleet(
      service,
      { ...flags, clusters: { kubeconfig, context: contextsOf(clusters, relay) } },
      settings,
    )
  if (service === undefined) throw new UsageError('name a Service: NAME or NAMESPACE/NAME, such as shop/web')
  const named = parseService(service, asked.namespace, ownerNameRule(ownerKind))
  const connection = await loadCluster({ kubeconfig, ...contextOf(flags) })
  const namespace = named.namespace ?? connection.namespace ?? 'default'
  const key = { cluster: connection.name, namespace, service: named.name, ...(ownerKind && { ownerKind }) }
  const opened = new ReadableClusters(kubeconfig, [connection])
  const { signal } = new AbortController()
  try {
    const explained = () => explainService({ clusterOf: opened.clusterOf, key, settings, signal })
    const first = await explained()
    // The Pods may be in another cluster of the kubeconfig, which was not named.
    const report = (await opened.loadMissing()) ? await explained() : first
    if (report === undefined) throw new Error(await absence(opened.clusterOf(key.cluster).client, key))
    printReport(report, asked.output, (each) => describeService(each, Date.now()))
  } finally {
    opened.close()
  }
}

/** @throws UsageError where a flag is about Pods, Nodes and addresses, and a Service is asked for */
function assertServiceFlags({ asked }: ExplainFlags): void {
  if (asked.from.length > 0)
    throw new UsageError(
      '--from goes with pod/NAME, node/NAME and addresses: `sliceflow history CLUSTER NAMESPACE/NAME --from FILE` is about a Service',
    )
  if (asked.allNamespaces)
    throw new UsageError('-A goes with pod/NAME, node/NAME and addresses: name the Service as NAMESPACE/NAME')
}

const contextsOf = ({ context }: ClustersFlags, relay: RelayReport | undefined): readonly string[] =>
  context.length > 0 ? context : (relay?.clusters ?? []).map(({ name }) => name)

/** @throws UsageError where flags are of a cluster set, and there is none */
function contextOf({ clusters, fleet }: ExplainFlags): { readonly context?: string } {
  const [context, another] = clusters.context
  if (another !== undefined)
    throw new UsageError(
      'a Service belongs to one cluster: give one --context, or --fleet for a Service of a set',
    )
  assertNoFleetFlags(fleet)
  return context === undefined ? {} : { context }
}

async function absence(
  client: ApiClient,
  { namespace, service: name, ownerKind }: ServiceKey,
): Promise<string> {
  if (ownerKind !== undefined)
    return `there is no ${ownerKind} ${namespace}/${name} in cluster ${client.cluster}, and no EndpointSlice that names it`
  const { items } = await client.list(SERVICES, { namespace })
  const names = items.map(({ metadata }) => metadata?.name ?? '')
  const others =
    names.length === 0
      ? 'the namespace has no Services, or does not exist'
      : `the namespace has ${listText(names, SERVICES_NAMED)}`
  return `there is no Service ${namespace}/${name} in cluster ${client.cluster}, and no EndpointSlice that names it: ${others}`
}

/**
 * @param service undefined where only --fleet was given a word
 * @throws UsageError @throws Error when no cluster has such a Service, with the names of those that there are
 */
async function runExplainFleet(
  service: string | undefined,
  { clusters, fleet: given, asked }: ExplainFlags,
  settings: Settings,
): Promise<void> {
  const [text, fleet] = serviceAndSet(service, given.fleet)
  if (text === undefined) throw nameless(fleet)
  const named = parseService(text, asked.namespace)
  const opened = await openFleet(clusters, { ...given, fleet }, settings)
  const namespace = named.namespace ?? opened.namespace ?? 'default'
  try {
    const report = await explainFleetService({ ...opened.dryRun, namespace, name: named.name })
    if (report === undefined) throw new Error(await absenceInSet(opened, `${namespace}/${named.name}`))
    printReport(report, asked.output, (each) => describeFleetService(each, Date.now()))
  } finally {
    opened.close()
  }
}

const nameless = (fleet: string | true | undefined): UsageError =>
  new UsageError(
    typeof fleet === 'string'
      ? `--fleet ${fleet} names a cluster set; name the Service as well: NAMESPACE/NAME`
      : 'name a Service: NAME or NAMESPACE/NAME, such as shop/web',
  )

async function absenceInSet({ dryRun }: OpenFleet, service: string): Promise<string> {
  const { keys } = await listFleetKeys(dryRun)
  const texts = keys.map((key) => `${key.namespace}/${key.service}`)
  const others =
    texts.length === 0 ? 'the set has no exports' : `the set has ${listText(texts, SERVICES_NAMED)}`
  return `no cluster of the set ${dryRun.set.name} exports or imports ${service}: ${others}`
}
