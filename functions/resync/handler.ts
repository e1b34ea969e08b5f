import type { ScheduledHandler } from 'aws-lambda'
import { ResyncError, type ResyncOptions, resync } from './resync.ts'

/** The Lambda handler of the schedule. Fails if a cluster failed, so that the schedule tries again and alarms see it. */
export function createResyncHandler(options: Omit<ResyncOptions, 'signal'>): ScheduledHandler {
  return async () => {
    const { failures } = await resync(options)
    if (failures.length > 0) {
      throw new ResyncError(
        failures.map(({ error }) => error),
        `failed to resync ${failures.map(({ cluster }) => cluster).join(', ')}`,
      )
    }
  }
}
