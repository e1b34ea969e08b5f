import { type FleetDryRunOptions, listFleetKeys } from '../../../../shared/fleet/index.ts'
import type { Settings } from '../../../../shared/settings/index.ts'
import { createLogger } from '../../../../shared/telemetry/index.ts'
import { describeFleetService, explainFleetService } from '../../../explain/index.ts'
import { type OpenFleet, openFleet } from '../../clusters/open-fleet.ts'
import { serviceAndSet } from '../../options/fleet.ts'
import { parseService } from '../../options/service.ts'
import { printReport } from '../../output/print-report.ts'
import { UsageError } from '../../usage.ts'
import type { ExplainFlags } from './flags.ts'

/** Services named where there is none of the name asked for. */
const SERVICES_NAMED = 10

/**
 * @param service undefined where only --fleet was given a word
 * @throws UsageError @throws Error when no cluster has such a Service, with the names of those that there are
 */
export async function runExplainFleet(
  service: string | undefined,
  { clusters, fleet: given, asked, printed }: ExplainFlags,
  settings: Settings,
): Promise<void> {
  const [text, fleet] = serviceAndSet(service, given.fleet)
  if (text === undefined) throw nameless(fleet)
  const named = parseService(text, asked.namespace)
  const opened = await openFleet(clusters, { ...given, fleet }, settings)
  const dryRun: FleetDryRunOptions = {
    set: opened.set,
    clientOf: opened.clientOf,
    namespace: named.namespace ?? opened.namespace ?? 'default',
    name: named.name,
    settings,
    // What a reconcile would log is in the report.
    logger: createLogger({ write: () => undefined }),
    signal: new AbortController().signal,
    now: Date.now,
  }
  try {
    const report = await explainFleetService(dryRun)
    if (report === undefined) throw new Error(await absence(opened, dryRun))
    printReport(report, printed.output, (each) => describeFleetService(each, Date.now()))
  } finally {
    opened.close()
  }
}

/** Makes the error for a set without a Service. */
const nameless = (fleet: string | true | undefined): UsageError =>
  new UsageError(
    typeof fleet === 'string'
      ? `--fleet ${fleet} names a cluster set; name the Service as well: NAMESPACE/NAME`
      : 'name a Service: NAME or NAMESPACE/NAME, such as shop/web',
  )

async function absence(
  { set, clientOf }: OpenFleet,
  { namespace, name, signal }: FleetDryRunOptions,
): Promise<string> {
  const { keys } = await listFleetKeys({ set, clientOf, signal })
  const texts = keys.map((key) => `${key.namespace}/${key.service}`)
  const shown = texts.slice(0, SERVICES_NAMED).join(', ')
  const others =
    texts.length === 0
      ? 'the set has no exports'
      : `the set has ${shown}${texts.length > SERVICES_NAMED ? ` and ${texts.length - SERVICES_NAMED} more` : ''}`
  return `no cluster of the set ${set.name} exports or imports ${namespace}/${name}: ${others}`
}
