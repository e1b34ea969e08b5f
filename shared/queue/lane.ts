/**
 * The two queues that keys travel on. `live` carries changes as the relay sees them and is tuned for latency;
 * `sweep` carries keys that are only verified, and is tuned for few, large batches.
 */
export type Lane = 'live' | 'sweep'

export const LANES: readonly Lane[] = ['live', 'sweep']

/** Longest back-off of a failed message, in seconds, unless a server asks for more. */
export const MAX_BACKOFF_SECONDS = 300

/** Seconds for which Lambda may hold messages at low traffic, regardless of the batch window. */
const LOW_TRAFFIC_WAIT_SECONDS = 20

/**
 * Computes the visibility timeout that AWS advises for a queue with an event source mapping, in seconds: six
 * times the function's timeout, and the time for which messages are gathered, as the clock starts when they
 * are received.
 */
export const visibilityTimeoutSeconds = ({
  functionTimeoutSeconds,
  batchWindowSeconds,
}: {
  readonly functionTimeoutSeconds: number
  readonly batchWindowSeconds: number
}): number => 6 * functionTimeoutSeconds + batchWindowSeconds + LOW_TRAFFIC_WAIT_SECONDS
