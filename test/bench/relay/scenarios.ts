import { setTimeout as sleep } from 'node:timers/promises'
import { measureCapacity } from './capacity.ts'
import { type Figure, figure } from './figure.ts'
import { observe } from './observe.ts'
import { type RelayProcess, type ServerProcess, startRelayProcess, startServerProcess } from './processes.ts'
import { measureShards } from './shards.ts'

export const SCENARIOS = {
  large: measureLargeCluster,
  fleet: measureFleet,
  capacity: measureCapacity,
  shards: measureShards,
} as const

const LARGE = { services: 2_000, podsPerService: 25, podBytes: 5_000, nodes: 3_000 }
const REST_MS = 15_000

/**
 * Measures 2,000 Services, 50,000 pods of 5 kB and 3,000 nodes, swept every 2 s, and then 5,000 pod events a
 * second.
 */
async function measureLargeCluster(): Promise<Figure[]> {
  const server = await startServerProcess({ shape: LARGE, dead: [] })
  const started = Date.now()
  const relay = startRelayProcess({
    clusters: ['large'],
    address: server.address,
    reported: [],
    settings: { sweepInterval: 2 },
  })
  await relay.following(1)
  await sleep(1000)
  const first = await relay.usage()
  await sleep(REST_MS)
  const rest = await relay.usage()
  const seconds = 20
  const events = await measureEvents(relay, server, { perSecond: 5_000, seconds })
  const after = await relay.usage()
  await relay.stop()
  server.stop()
  return [
    figure('keys sent after the first list', first.keysSent, '', { above: LARGE.services - 1 }),
    figure('start of the process to the last key', (first.lastKeyAt - started) / 1000, 's'),
    figure('processor time of that', first.cpuSeconds, 's'),
    figure('resident memory, peak of the first list', first.peakRssMb, 'MB', { below: 300 }),
    figure('resident memory at rest', rest.rssMb, 'MB', { below: 200 }),
    figure(
      'processor time of a sweep',
      (rest.cpuSeconds - first.cpuSeconds) / (rest.sweeps - first.sweeps),
      's',
      { below: 1 },
    ),
    figure('keys that sweeps find at rest', rest.keysSwept, '', { below: 1 }),
    figure('pod events taken, of 5,000 a second offered', events.perSecond, '/s'),
    figure('pod events a second of processor time', events.perCpuSecond, '/s', { above: 5_000 }),
    figure('resident memory, peak with events', after.peakRssMb, 'MB'),
  ]
}

async function measureEvents(
  relay: RelayProcess,
  server: ServerProcess,
  load: { perSecond: number; seconds: number },
): Promise<{ perSecond: number; perCpuSecond: number }> {
  const before = await relay.usage()
  const started = performance.now()
  const sent = await server.change({ cluster: 'large', ...load })
  let after = await relay.usage()
  while (after.events - before.events < sent && performance.now() - started < 3000 * load.seconds) {
    await sleep(50)
    after = await relay.usage()
  }
  const seconds = (performance.now() - started) / 1000
  const taken = after.events - before.events
  return { perSecond: taken / seconds, perCpuSecond: taken / (after.cpuSeconds - before.cpuSeconds) }
}

const CLUSTERS = 50
const SMALL = { services: 200, podsPerService: 5, podBytes: 2_000 }
const OBSERVED = { perSecond: 2, seconds: 20 }

/** Measures 50 clusters of 200 Services. Then one of them floods and one is dead. */
async function measureFleet(): Promise<Figure[]> {
  const names = Array.from({ length: CLUSTERS }, (_, index) => `cluster-${index}`)
  const [flooding = '', dead = '', ...others] = names
  const server = await startServerProcess({ shape: SMALL, dead: [dead] })
  const empty = startRelayProcess({ clusters: [], address: server.address, reported: [] })
  const none = await empty.usage()
  await empty.stop()
  const relay = startRelayProcess({ clusters: names, address: server.address, reported: others })
  await relay.following(CLUSTERS - 1)
  await sleep(2000)
  const listed = await relay.usage()
  await sleep(REST_MS)
  const rest = await relay.usage()
  const quiet = await observe({ servers: new Map(others.map((name) => [name, server])), relay, ...OBSERVED })
  const flood = server.change({ cluster: flooding, perSecond: 10_000, seconds: OBSERVED.seconds })
  const flooded = await observe({
    servers: new Map(others.map((name) => [name, server])),
    relay,
    ...OBSERVED,
  })
  const taken = await flood
  await relay.stop()
  server.stop()
  const followed = CLUSTERS - 1
  const perCluster = (value: number, base: number): number => (value - base) / followed
  return [
    figure('keys sent after the first lists', listed.keysSent, '', { above: followed * SMALL.services - 1 }),
    figure('resident memory a cluster', perCluster(rest.rssMb, none.rssMb), 'MB'),
    figure('resident memory of all', rest.rssMb, 'MB'),
    figure(
      'processor time a cluster, first lists',
      perCluster(listed.cpuSeconds, none.cpuSeconds) * 1000,
      'ms',
    ),
    figure(
      'processor time a cluster and minute, at rest',
      perCluster(rest.cpuSeconds, listed.cpuSeconds) * (60_000 / REST_MS) * 1000,
      'ms',
    ),
    figure('change to key, 48 clusters, p50', quiet.percentile(0.5), 'ms'),
    figure('change to key, 48 clusters, p99', quiet.percentile(0.99), 'ms'),
    figure('the same while one floods, p50', flooded.percentile(0.5), 'ms', { below: 500 }),
    figure('the same while one floods, p99', flooded.percentile(0.99), 'ms', { below: 1000 }),
    figure('their changes without a key', quiet.open + flooded.open, '', { below: 1 }),
    figure('events sent by the flooding one', taken / OBSERVED.seconds, '/s'),
  ]
}
