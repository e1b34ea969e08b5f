import type { ScheduledHandler } from 'aws-lambda'
import type { Log } from '../../shared/telemetry/index.ts'
import { AuditError, type AuditOptions, auditSlot } from './audit.ts'
import type { AuditMetrics } from './metrics.ts'

interface AuditHandlerOptions extends Omit<AuditOptions, 'slot' | 'signal'> {
  readonly metrics: AuditMetrics
  readonly logger: Log
}

/** Milliseconds reserved for logs and metrics at the end; at most a quarter of the time limit. */
const RESERVE_MS = 3_000

/**
 * Creates the Lambda handler of the schedule. It audits the slot of the time that the event says, so that a
 * retry is of the same slot. Without a time, as when it is called by hand, it is the present one.
 * @throws AuditError where a cluster failed or the time was over, so that Lambda tries the slot again and
 *   alarms see it
 */
export function createAuditHandler({ metrics, logger, ...options }: AuditHandlerOptions): ScheduledHandler {
  return async ({ time }, context) => {
    const scheduled = Date.parse(time)
    const slot = options.slots.at(Number.isNaN(scheduled) ? Date.now() : scheduled)
    const remainingMs = context.getRemainingTimeInMillis()
    const signal = AbortSignal.timeout(remainingMs - Math.min(RESERVE_MS, remainingMs / 4))
    const { sent, failures } = await auditSlot({ ...options, slot, signal })
    for (const [cluster, keys] of sent) {
      metrics.sent(keys)
      logger.info({ cluster, slot, keys }, 'sent a part of the keys of the cluster to the sweep lane')
    }
    for (const { cluster, error } of failures) {
      metrics.failed(cluster)
      logger.warn({ cluster, slot, err: error }, 'cannot audit the cluster')
    }
    metrics.flush()
    if (failures.length === 0) return
    const clusters = failures.map(({ cluster }) => cluster).join(', ')
    throw new AuditError(
      failures.map(({ error }) => error),
      `failed to audit ${clusters}`,
    )
  }
}
