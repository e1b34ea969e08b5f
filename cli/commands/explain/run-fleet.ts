import type { Settings } from '../../../shared/settings/index.ts'
import { type OpenFleet, openFleet } from '../../clusters/open-fleet.ts'
import { describeFleetService, explainFleetService, listFleetKeys } from '../../explain/index.ts'
import { serviceAndSet } from '../../options/fleet.ts'
import { parseService } from '../../options/subject.ts'
import { printReport } from '../../output/print-report.ts'
import { listText } from '../../terminal/index.ts'
import { UsageError } from '../../usage.ts'
import type { ExplainFlags } from './command.ts'

/** Services named where there is none of the name asked for. */
const SERVICES_NAMED = 10

/**
 * @param service undefined where only --fleet was given a word
 * @throws UsageError @throws Error when no cluster has such a Service, with the names of those that there are
 */
export async function runExplainFleet(
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
    if (report === undefined) throw new Error(await absence(opened, `${namespace}/${named.name}`))
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

async function absence({ dryRun }: OpenFleet, service: string): Promise<string> {
  const { keys } = await listFleetKeys(dryRun)
  const texts = keys.map((key) => `${key.namespace}/${key.service}`)
  const others =
    texts.length === 0 ? 'the set has no exports' : `the set has ${listText(texts, SERVICES_NAMED)}`
  return `no cluster of the set ${dryRun.set.name} exports or imports ${service}: ${others}`
}
