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

const LOOK_SECONDS = (LOOK_MS[0] + LOOK_MS[1]) / 2 / 1000
/** Pollers of the live lane at first. Each gathers by itself what comes while it is busy. */
const POLLERS = 5
const SWEEP_BATCH_SIZE = 100
const SWEEP_WINDOW_SECONDS = 20
const SLOT_SECONDS = 600

export const changeLoad = ({ changesPerSecond }: DeploymentSize): Load =>
  loadOf(changesPerSecond, LOOK_SECONDS, BATCH_SIZE)

export const auditLoad = ({ services, auditInterval }: DeploymentSize): AuditLoad => ({
  ...loadOf(services / auditInterval, SWEEP_WINDOW_SECONDS, SWEEP_BATCH_SIZE),
  schedules: SECONDS_A_MONTH / SLOT_SECONDS,
})

/** @param seconds for which a poller gathers keys */
function loadOf(keysPerSecond: number, seconds: number, most: number): Load {
  const keys = keysPerSecond * SECONDS_A_MONTH
  const keysACall = Math.min(most, Math.max(1, (keysPerSecond * seconds) / POLLERS))
  return { keys, calls: keys / keysACall, seconds: keys * LOOK_SECONDS }
}
