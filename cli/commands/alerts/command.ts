import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { isMap, isSeq, parseDocument } from 'yaml'
import { createCommand } from '../../options/create-command.ts'
import { type FlagValues, flag } from '../../options/flags.ts'
import { findInstallation } from '../../package.ts'

const HELP = `
Prometheus' label "job" is the job_name of a scrape configuration, or the name of the Service with a ServiceMonitor. RelayDown asks for
that job: with another name it would fire for ever. Without --standby-job the alerts of a standby are left out, for the same reason.

Examples:
  One relay, scraped as the job "sliceflow":
    $ sliceflow alerts > alerts.yaml
  A relay and its standby, as the Services of the releases "mine" and "mine-standby" are called:
    $ sliceflow alerts --job mine --standby-job mine-standby > alerts.yaml`

/** Jobs and the group of a standby, as infra/prometheus/alerts.yaml has them. */
const WRITTEN = { job: 'sliceflow', standbyJob: 'sliceflow-standby' } as const
const STANDBY_GROUP = 'sliceflow-standby'

const FLAGS = {
  job: flag('--job <name>', 'the label job of the metrics of run', { default: WRITTEN.job as string }),
  standbyJob: flag(
    '--standby-job <name>',
    'the label job of a standby’s metrics (default: there is no standby)',
  ),
}
type AlertsFlags = FlagValues<typeof FLAGS>

/** Makes the `alerts` command: it prints what Prometheus reads, for the jobs that a user's Prometheus has. */
export const alertsCommand = (): Command =>
  createCommand({ help: HELP, groups: { FLAGS } }).action(async (flags: AlertsFlags) => {
    const file = join(findInstallation().folder, 'infra', 'prometheus', 'alerts.yaml')
    process.stdout.write(alertsOf(await readFile(file, 'utf8'), flags))
  })

function alertsOf(text: string, { job, standbyJob }: AlertsFlags): string {
  const document = parseDocument(text)
  const groups = document.get('groups')
  if (isSeq(groups) && standbyJob === undefined)
    groups.items = groups.items.filter((group) => !isMap(group) || group.get('name') !== STANDBY_GROUP)
  return document
    .toString({ lineWidth: 0, flowCollectionPadding: true })
    .replaceAll(matcherOf(WRITTEN.standbyJob), () => matcherOf(standbyJob ?? WRITTEN.standbyJob))
    .replaceAll(matcherOf(WRITTEN.job), () => matcherOf(job))
}

const matcherOf = (job: string): string => `job=${JSON.stringify(job)}`
