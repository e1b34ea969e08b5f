import { setTimeout as sleep } from 'node:timers/promises'
import { measureCapacity } from './capacity.ts'
import type { Figure } from './figure.ts'
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
    {
      name: 'keys sent after the first list',
      value: first.keysSent,
      unit: '',
      goal: { above: LARGE.services - 1 },
    },
    { name: 'start of the process to the last key', value: (first.lastKeyAt - started) / 1000, unit: 's' },
    { name: 'processor time of that', value: first.cpuSeconds, unit: 's' },
    {
      name: 'resident memory, peak of the first list',
      value: first.peakRssMb,
      unit: 'MB',
      goal: { below: 300 },
    },
    { name: 'resident memory at rest', value: rest.rssMb, unit: 'MB', goal: { below: 200 } },
    {
      name: 'processor time of a sweep',
      value: (rest.cpuSeconds - first.cpuSeconds) / (rest.sweeps - first.sweeps),
      unit: 's',
      goal: { below: 1 },
    },
    { name: 'keys that sweeps find at rest', value: rest.keysSwept, unit: '', goal: { below: 1 } },
    { name: 'pod events taken, of 5,000 a second offered', value: events.perSecond, unit: '/s' },
    {
      name: 'pod events a second of processor time',
      value: events.perCpuSecond,
      unit: '/s',
      goal: { above: 5_000 },
    },
    { name: 'resident memory, peak with events', value: after.peakRssMb, unit: 'MB' },
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
    {
      name: 'keys sent after the first lists',
      value: listed.keysSent,
      unit: '',
      goal: { above: followed * SMALL.services - 1 },
    },
    { name: 'resident memory a cluster', value: perCluster(rest.rssMb, none.rssMb), unit: 'MB' },
    { name: 'resident memory of all', value: rest.rssMb, unit: 'MB' },
    {
      name: 'processor time a cluster, first lists',
      value: perCluster(listed.cpuSeconds, none.cpuSeconds) * 1000,
      unit: 'ms',
    },
    {
      name: 'processor time a cluster and minute, at rest',
      value: perCluster(rest.cpuSeconds, listed.cpuSeconds) * (60_000 / REST_MS) * 1000,
      unit: 'ms',
    },
    { name: 'change to key, 48 clusters, p50', value: quiet.percentile(0.5), unit: 'ms' },
    { name: 'change to key, 48 clusters, p99', value: quiet.percentile(0.99), unit: 'ms' },
    {
      name: 'the same while one floods, p50',
      value: flooded.percentile(0.5),
      unit: 'ms',
      goal: { below: 500 },
    },
    {
      name: 'the same while one floods, p99',
      value: flooded.percentile(0.99),
      unit: 'ms',
      goal: { below: 1000 },
    },
    { name: 'their changes without a key', value: quiet.open + flooded.open, unit: '', goal: { below: 1 } },
    { name: 'events sent by the flooding one', value: taken / OBSERVED.seconds, unit: '/s' },
  ]
}
