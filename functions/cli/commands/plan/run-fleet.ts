import * as z from 'zod/mini'
import { createLogger } from '../../../../shared/telemetry/index.ts'
import { describeFleetPlan, planFleet, writesOf } from '../../../explain/index.ts'
import { openFleet } from '../../clusters/open-fleet.ts'
import { CLUSTERS, FLEET, type Flags, groupFlags, OUTPUT } from '../../options/flag-groups.ts'
import { serviceAndSet } from '../../options/fleet.ts'
import { parseService } from '../../options/service.ts'
import { settingsOf } from '../../options/settings.ts'
import { printReport } from '../../output/print-report.ts'

const GROUPS = {
  clusters: CLUSTERS,
  fleet: FLEET,
  asked: z.object({
    namespace: z.optional(z.string()),
    /** Whether the exit code shows that something would be written. */
    check: z.boolean(),
  }),
  printed: OUTPUT,
}

/** Milliseconds between two progress lines. */
const PROGRESS_MS = 2_000

/**
 * Prints what would change in the clusters of a set; the process' exit code is 1 when a cluster could not be
 * read, or with `--check` when something would be written. @throws UsageError
 */
export async function runPlanFleet(service: string | undefined, flags: Flags): Promise<void> {
  const { clusters, fleet: given, asked, printed } = groupFlags(flags, GROUPS)
  const settings = settingsOf(flags)
  const [text, set] = serviceAndSet(service, given.fleet)
  const named = text === undefined ? undefined : parseService(text, asked.namespace)
  const fleet = await openFleet(clusters, { ...given, fleet: set }, settings)
  const { namespace = named && (fleet.namespace ?? 'default') } = { ...asked, ...named }
  const only = namespace === undefined ? undefined : { namespace, ...(named && { name: named.name }) }
  let told = Date.now()
  try {
    const plan = await planFleet({
      set: fleet.set,
      clientOf: fleet.clientOf,
      settings,
      only,
      // The plan has everything that a reconcile would log.
      logger: createLogger({ write: () => undefined }),
      signal: new AbortController().signal,
      now: Date.now,
      onLooked(synced, total) {
        if (Date.now() - told < PROGRESS_MS) return
        told = Date.now()
        process.stderr.write(`planned ${synced} of ${total} Services\n`)
      },
    })
    printReport(plan, printed.output, describeFleetPlan)
    const isUnread = plan.services.some(({ clusters }) => clusters.some(({ state }) => state === 'Unread'))
    if (plan.failures.length > 0 || isUnread || (asked.check && writesOf(plan).length > 0))
      process.exitCode = 1
  } finally {
    fleet.close()
  }
}
