import type { DeploymentSize } from './deployment-size.ts'
import { BATCH_SIZE, LOOK_MS, SECONDS_A_MONTH } from './usage.ts'

/** What a month asks of the function. */
export interface Load {
  readonly keys: number
  readonly calls: number
  /** Of the function's time. */
  readonly seconds: number
}

/** What a month of the audit asks of it. */
export interface AuditLoad extends Load {
  /** How often the schedule calls. */
  readonly schedules: number
}

const LOOK_SECONDS = (LOOK_MS[0] + LOOK_MS[1]) / 2 / 1000
/** Of the live lane at first; each gathers for itself what comes while it is busy. */
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
