import { FLEET_MANAGED_BY } from '../../../shared/changes/index.ts'
import type { EndpointSlice } from '../../../shared/endpointslice/index.ts'
import type { RawClient } from '../../support/raw-client.ts'
import { type SliceWatch, watchSlices } from '../race/slice-watch.ts'
import type { ChangeTimes } from './workload.ts'

/** Reports the imported slices of all clusters, and their delays. */
export interface Arrivals extends ChangeTimes {
  /** Milliseconds from each change to the last cluster's slices; of those that have arrived everywhere. */
  readonly delays: readonly number[]
  /** Changes that some cluster does not show yet. */
  readonly open: number
  /** Addresses that each cluster shows. */
  readonly shown: readonly ReadonlySet<string>[]
  /** Events of imported slices, and their bytes as one watcher receives them. */
  readonly events: number
  readonly bytes: number
  readonly lastAt: number
  close(): void
}

interface Change {
  readonly at: number
  /** Indices of clusters that do not show it. */
  readonly missing: Set<number>
}

/** Watches the imported slices of every cluster, as each kube-proxy does. */
export async function watchArrivals(clients: readonly RawClient[]): Promise<Arrivals> {
  const changes = { ready: new Map<string, Change>(), gone: new Map<string, Change>() }
  const delays: number[] = []
  const shown = clients.map(() => new Set<string>())
  const settle = (kind: keyof typeof changes, address: string, cluster: number): void => {
    const change = changes[kind].get(address)
    if (change?.missing.delete(cluster) !== true || change.missing.size > 0) return
    delays.push(performance.now() - change.at)
    changes[kind].delete(address)
  }
  const watches: SliceWatch[] = await Promise.all(
    clients.map((client, index) =>
      followSlices(client, shown[index] ?? new Set(), (kind, address) => settle(kind, address, index)),
    ),
  )
  const begin = (kind: keyof typeof changes) => (address: string) =>
    void changes[kind].set(address, { at: performance.now(), missing: new Set(clients.keys()) })
  const sum = (of: (watch: SliceWatch) => number): number =>
    watches.reduce((total, watch) => total + of(watch), 0)
  return {
    ready: begin('ready'),
    gone: begin('gone'),
    delays,
    get open() {
      return changes.ready.size + changes.gone.size
    },
    shown,
    get events() {
      return sum(({ events }) => events)
    },
    get bytes() {
      return sum(({ bytes }) => bytes)
    },
    get lastAt() {
      return Math.max(...watches.map(({ lastAt }) => lastAt))
    },
    close() {
      for (const watch of watches) watch.close()
    },
  }
}

/** Tracks the ready addresses of a cluster's imported slices, and reports which are added and removed. */
function followSlices(
  client: RawClient,
  shown: Set<string>,
  report: (kind: 'ready' | 'gone', address: string) => void,
): Promise<SliceWatch> {
  const bySlice = new Map<string, ReadonlySet<string>>()
  const put = (name: string, next: ReadonlySet<string>): void => {
    const before = bySlice.get(name) ?? new Set()
    bySlice.set(name, next)
    for (const address of next.difference(before)) {
      shown.add(address)
      report('ready', address)
    }
    for (const address of before.difference(next)) {
      shown.delete(address)
      report('gone', address)
    }
  }
  const nameOf = ({ metadata }: EndpointSlice): string => `${metadata?.namespace}/${metadata?.name}`
  return watchSlices(
    client,
    {
      put: (slice) => put(nameOf(slice), addressesOf(slice)),
      remove: (slice) => put(nameOf(slice), new Set()),
    },
    FLEET_MANAGED_BY,
  )
}

const addressesOf = ({ endpoints }: EndpointSlice): ReadonlySet<string> =>
  new Set(
    (endpoints ?? [])
      .filter(({ conditions }) => conditions?.ready !== false)
      .flatMap(({ addresses }) => addresses),
  )
