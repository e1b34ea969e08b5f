import { setTimeout as sleep } from 'node:timers/promises'
import { createLatencyRecord, type LatencyRecord } from './latency.ts'
import type { ChangesProcess, RelayProcess } from './processes.ts'

export interface Observation {
  /** Processes of the clusters, by name. */
  readonly servers: ReadonlyMap<string, ChangesProcess>
  readonly relay: RelayProcess
  /** Changes in each of the clusters. */
  readonly perSecond: number
  readonly seconds: number
}

/** Changes each of the clusters for a while, and records how long the keys take. */
export async function observe({ servers, relay, ...load }: Observation): Promise<LatencyRecord> {
  const record = createLatencyRecord()
  const processes = new Set(servers.values())
  const ends = [...processes].map((server) => server.onChanged(record.changed))
  ends.push(relay.onSent(record.sent))
  await Promise.all(
    [...servers].map(([cluster, server]) => server.change({ cluster, ...load, isTold: true })),
  )
  await sleep(2000)
  for (const end of ends) end()
  return record
}
