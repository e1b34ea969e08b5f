import { createLogger } from '../../../../shared/telemetry/index.ts'
import { describeFleetPlan, planFleet, writesOf } from '../../../explain/index.ts'
import { type OpenFleetOptions, openFleet } from '../../clusters/open-fleet.ts'
import { serviceAndSet } from '../../options/fleet.ts'
import type { NamespaceOptions } from '../../options/namespace.ts'
import type { OutputFormat } from '../../options/output.ts'
import { parseService } from '../../options/service.ts'
import { settingsOf } from '../../options/settings.ts'
import { printReport } from '../../output/print-report.ts'

/** The flags of `plan`, the settings among them as text. */
export interface PlanOptions extends OpenFleetOptions, NamespaceOptions, Readonly<Record<string, unknown>> {
  readonly output: OutputFormat
  /** Whether the exit code shows that something would be written. */
  readonly check: boolean
}

/** Milliseconds between two progress lines. */
const PROGRESS_MS = 2_000

/**
 * Prints what would change in the clusters of a set; the process' exit code is 1 when a cluster could not be
 * read, or with `--check` when something would be written. @throws UsageError
 */
export async function runPlanFleet(service: string | undefined, options: PlanOptions): Promise<void> {
  const settings = settingsOf(options)
  const [text, set] = serviceAndSet(service, options.fleet)
  const named = text === undefined ? undefined : parseService(text, options.namespace)
  const fleet = await openFleet({ ...options, ...(set !== undefined && { fleet: set }) }, settings)
  let told = Date.now()
  try {
    const plan = await planFleet({
      set: fleet.set,
      clientOf: fleet.clientOf,
      settings,
      ...(named && {
        only: { namespace: named.namespace ?? fleet.namespace ?? 'default', name: named.name },
      }),
      ...(options.namespace !== undefined && { inNamespace: options.namespace }),
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
    printReport(plan, options.output, describeFleetPlan)
    const isUnread = plan.services.some(({ clusters }) => clusters.some(({ state }) => state === 'Unread'))
    if (plan.failures.length > 0 || isUnread || (options.check && writesOf(plan).length > 0))
      process.exitCode = 1
  } finally {
    fleet.close()
  }
}
