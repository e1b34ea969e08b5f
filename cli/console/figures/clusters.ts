import type { Registry } from 'prom-client'
import { type MetricValue, readMetric, type StatusDocument } from '../../local/index.ts'

/** A cluster as the page shows it. Times are RFC 3339. */
export interface ClusterFigures {
  readonly name: string
  /**
   * `unreachable`: it does not answer, or a watch fails. `listing`: not every kind was listed yet.
   * `not followed`: another relay has it.
   */
  readonly state: 'reachable' | 'unreachable' | 'listing' | 'not followed'
  /** Number of keys with a change that is not synced yet. */
  readonly waiting: number
  /** Number of these that the queue has not accepted yet. */
  readonly pending: number
  readonly writes: number
  /** Time from a change to the slices written, in seconds, of the last 1,000 changes; absent without any. */
  readonly p50?: number
  readonly p99?: number
  /** Keys that failed since the start; each was tried again. */
  readonly failures: number
  readonly lastChangeAt?: string
  readonly lastSyncAt?: string
}

/** Level of a circuit that lets no call out. */
const OPEN = 2

export async function readClusters(
  registry: Registry,
  { clusters }: StatusDocument,
): Promise<readonly ClusterFigures[]> {
  const [synced, failing, circuits, pending] = await Promise.all(
    [
      'sliceflow_relay_cluster_synced',
      'sliceflow_relay_watch_failing',
      'sliceflow_cluster_circuit_state',
      'sliceflow_relay_keys_pending',
    ].map(async (name) => byCluster(await readMetric(registry, name))),
  )
  return clusters.map(({ name, waiting, writes, failures, lag, lastChangeAt, lastSyncAt }) => {
    const isFailing = most(failing, name) > 0 || most(circuits, name) === OPEN
    const answering = most(synced, name) > 0 ? 'reachable' : 'listing'
    const followed = isFailing ? 'unreachable' : answering
    return {
      name,
      state: synced?.has(name) ? followed : 'not followed',
      waiting,
      pending: (pending?.get(name) ?? []).reduce((sum, value) => sum + value, 0),
      writes,
      failures,
      ...{ p50: lag?.p50, p99: lag?.p99, lastChangeAt, lastSyncAt },
    }
  })
}

type ByCluster = ReadonlyMap<string, readonly number[]>

function byCluster(values: readonly MetricValue[]): ByCluster {
  const groups = Map.groupBy(values, ({ labels }) => String(labels.cluster))
  return new Map([...groups].map(([name, group]) => [name, group.map(({ value }) => value)]))
}

const most = (values: ByCluster | undefined, name: string): number =>
  Math.max(0, ...(values?.get(name) ?? []))
