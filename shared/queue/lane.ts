/**
 * The two queues that keys travel on. `live` carries changes as the relay sees them and is tuned for latency;
 * `sweep` carries the scheduled "look at everything again" and is tuned for few, large batches.
 */
export type Lane = 'live' | 'sweep'

export const LANES: readonly Lane[] = ['live', 'sweep']
