import type { DeploymentSize } from './deployment-size.ts'
import { BATCH_SIZE, LOOK_MS, SECONDS_A_MONTH } from './usage.ts'

/** Monthly load of the function. */
export interface Load {
  readonly keys: number
  readonly calls: number
  /** Running time of the function, in seconds. */
  readonly seconds: number
}

/** Monthly load of the audit on the function. */
export interface AuditLoad extends Load {
  /** Number of calls by the schedule. */
  readonly schedules: number
}

/**
 * A look at a Service of a cluster set, as measured from the change to the slices of five clusters, with the
 * queue and the in-tree controller in it: the most that it can be.
 */
const FLEET_SYNC_SECONDS = 0.1
const SYNC_SECONDS = (LOOK_MS[0] + LOOK_MS[1]) / 2 / 1000
/** Pollers of the live lane at first. Each gathers by itself what comes while it is busy. */
const POLLERS = 5
const SWEEP = { gathers: 20, most: 100 } as const
const SLOT_SECONDS = 600

export const changeLoad = ({ changesPerSecond }: DeploymentSize): Load =>
  loadOf(changesPerSecond, { sync: SYNC_SECONDS, gathers: SYNC_SECONDS, most: BATCH_SIZE })

export const auditLoad = ({ services, auditInterval }: DeploymentSize): AuditLoad => ({
  ...loadOf(services / auditInterval, { sync: SYNC_SECONDS, ...SWEEP }),
  schedules: SECONDS_A_MONTH / SLOT_SECONDS,
})

export const fleetChangeLoad = ({ fleetChangesPerSecond }: DeploymentSize): Load =>
  loadOf(fleetChangesPerSecond, {
    sync: FLEET_SYNC_SECONDS,
    gathers: FLEET_SYNC_SECONDS,
    most: BATCH_SIZE,
  })

export const fleetAuditLoad = ({ fleetServices, auditInterval }: DeploymentSize): Load =>
  loadOf(fleetServices / auditInterval, { sync: FLEET_SYNC_SECONDS, ...SWEEP })

interface Lane {
  /** Duration of a look at one key, in seconds. */
  readonly sync: number
  /** Time for which a poller gathers keys, in seconds. */
  readonly gathers: number
  /** Keys of one call at most. */
  readonly most: number
}

function loadOf(keysPerSecond: number, { sync, gathers, most }: Lane): Load {
  const keys = keysPerSecond * SECONDS_A_MONTH
  const keysACall = Math.min(most, Math.max(1, (keysPerSecond * gathers) / POLLERS))
  return { keys, calls: keys / keysACall, seconds: keys * sync }
}
