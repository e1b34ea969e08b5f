import { setTimeout as sleep } from 'node:timers/promises'
import { percentile } from '../race/latencies.ts'
import { createChangeRecord } from './change-record.ts'
import type { ChangesProcess, RelayProcess } from './processes.ts'

interface Observation {
  /** Processes of the clusters, by name. */
  readonly servers: ReadonlyMap<string, ChangesProcess>
  readonly relay: RelayProcess
  /** Changes in each of the clusters. */
  readonly perSecond: number
  readonly seconds: number
  /** Milliseconds after the last change for which keys are awaited; default 2,000. */
  readonly settleMs?: number
}

/** Milliseconds from changes to their keys. */
interface Observed {
  /** Changes whose key was not sent. */
  readonly open: number
  /** @param share from 0 to 1 */
  percentile(share: number): number
}

/** Changes each of the clusters for a while, and records how long the keys take. */
export async function observe({ servers, relay, settleMs = 2000, ...load }: Observation): Promise<Observed> {
  const record = createChangeRecord()
  const nameOf = (cluster: string, service: string): string => `${cluster}/${service}`
  const processes = new Set(servers.values())
  const ends = [...processes].map((server) =>
    server.onChanged(({ cluster, service, at }) => record.changed(nameOf(cluster, service), at, true)),
  )
  // A key stands for every change before it.
  ends.push(relay.onSent((cluster, service, at) => record.shown(nameOf(cluster, service), at, true)))
  await Promise.all(
    [...servers].map(([cluster, server]) => server.change({ cluster, ...load, isReported: true })),
  )
  await sleep(settleMs)
  for (const end of ends) end()
  const sorted = record.latencies.toSorted((a, b) => a - b)
  return { open: record.open, percentile: (share) => percentile(sorted, share) }
}
