import type { DeploymentSize } from './deployment-size.ts'
import { POLLERS, SECONDS_A_MONTH, SYNC_MS } from './usage.ts'

/** Monthly load of the function. */
export interface Load {
  readonly keys: number
  readonly calls: number
  /** Requests to the queue: messages sent, received and deleted. */
  readonly requests: number
  /** Running time of the function, in seconds. */
  readonly seconds: number
}

/** Monthly load of the audit on the function. */
export interface AuditLoad extends Load {
  readonly schedules: number
}

/**
 * A sync of a Service of a cluster set, as measured from the change to the slices of five clusters, with the
 * queue and the in-tree controller in it: the most that it can be.
 */
const FLEET_SYNC_SECONDS = 0.1
const SYNC_SECONDS = (SYNC_MS[0] + SYNC_MS[1]) / 2 / 1000
const SWEEP = { gathers: 20, most: 100, pollers: POLLERS } as const
const MESSAGES_A_REQUEST = 10
const SLOT_SECONDS = 600

/** A standby sends no change while the other deployment does. */
export const changeLoad = (size: DeploymentSize): Load =>
  loadOf(size.standby ? 0 : size.changesPerSecond, liveLane(size, SYNC_SECONDS))

export const auditLoad = ({ services, auditInterval }: DeploymentSize): AuditLoad => ({
  ...loadOf(services / auditInterval, { sync: SYNC_SECONDS, ...SWEEP }),
  schedules: SECONDS_A_MONTH / SLOT_SECONDS,
})

export const fleetChangeLoad = (size: DeploymentSize): Load =>
  loadOf(size.fleetChangesPerSecond, liveLane(size, FLEET_SYNC_SECONDS))

export const fleetAuditLoad = ({ fleetServices, auditInterval }: DeploymentSize): Load =>
  loadOf(fleetServices / auditInterval, { sync: FLEET_SYNC_SECONDS, ...SWEEP })

interface Lane {
  /** Duration of the sync of one key, in seconds. */
  readonly sync: number
  /** Time for which a poller gathers keys, in seconds. */
  readonly gathers: number
  /** Keys of one call at most. */
  readonly most: number
  /** Pollers, each of which gathers by itself what comes while it is busy. */
  readonly pollers: number
}

/** The more pollers there are, the fewer keys each gathers: these are the most that there may be. */
const liveLane = (
  { batchWindow, batchSize, maximumConcurrency, maximumPollers }: DeploymentSize,
  sync: number,
): Lane => ({
  sync,
  gathers: Math.max(sync, batchWindow),
  most: batchSize,
  pollers: maximumPollers > 0 ? maximumPollers : Math.max(POLLERS, maximumConcurrency),
})

/** A relay sends each key by itself, at the most; pollers receive and delete up to ten at once. */
function loadOf(keysPerSecond: number, { sync, gathers, most, pollers }: Lane): Load {
  const keys = keysPerSecond * SECONDS_A_MONTH
  const keysACall = Math.min(most, Math.max(1, (keysPerSecond * gathers) / pollers))
  const calls = keys / keysACall
  const requests = keys + (2 * keys) / Math.min(MESSAGES_A_REQUEST, keysACall)
  return { keys, calls, requests, seconds: keys * sync }
}
