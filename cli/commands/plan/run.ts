import type { Command } from 'commander'
import { openFleet } from '../../clusters/open-fleet.ts'
import { describeFleetPlan, planFleet, writesOf } from '../../explain/index.ts'
import { type Flags, groupFlags } from '../../options/flags.ts'
import { serviceAndSet } from '../../options/fleet.ts'
import { settingsOf } from '../../options/settings.ts'
import { parseService } from '../../options/subject.ts'
import { Progress, printReport } from '../../output/print-report.ts'
import { UsageError } from '../../usage.ts'
import { pipePlans } from './cases.ts'
import { GROUPS } from './command.ts'

/** Plans the Services of a cluster set, or the cases of standard input. @throws UsageError */
export async function runPlan(service: string | undefined, flags: Flags, command: Command): Promise<void> {
  if (flags.fleet !== undefined) return planSet(service, flags)
  assertNoFleet(command)
  return pipePlans(process.stdin, process.stdout)
}

/** Refuses what is about a cluster set where cases are read. @throws UsageError */
function assertNoFleet(command: Command): void {
  const given = command.options.find(
    (option) => command.getOptionValueSource(option.attributeName()) === 'cli',
  )
  const what = given?.long ?? command.args[0]
  if (what !== undefined)
    throw new UsageError(
      `${what} is about a cluster set: give --fleet as well; without it cases are read from stdin`,
    )
}

/**
 * Prints what would change in the clusters of a set; the process' exit code is 1 when a cluster could not be
 * read, or with `--check` when something would be written. @throws UsageError
 */
async function planSet(service: string | undefined, flags: Flags): Promise<void> {
  const { clusters, fleet: given, asked } = groupFlags(flags, GROUPS)
  const [text, set] = serviceAndSet(service, given.fleet)
  const named = text === undefined ? undefined : parseService(text, asked.namespace)
  const fleet = await openFleet(clusters, { ...given, fleet: set }, settingsOf(flags))
  const { namespace = named && (fleet.namespace ?? 'default') } = { ...asked, ...named }
  const only = namespace === undefined ? undefined : { namespace, ...(named && { name: named.name }) }
  const progress = new Progress()
  try {
    const plan = await planFleet({
      ...fleet.dryRun,
      only,
      onPlanned: (planned, total) => progress.report(`planned ${planned} of ${total} Services`),
    })
    printReport(plan, asked.output, describeFleetPlan)
    const isUnread = plan.services.some(({ clusters }) => clusters.some(({ state }) => state === 'Unread'))
    if (plan.failures.length > 0 || isUnread || (asked.check && writesOf(plan).length > 0))
      process.exitCode = 1
  } finally {
    fleet.close()
  }
}
