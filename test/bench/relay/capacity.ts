import { setTimeout as sleep } from 'node:timers/promises'
import { type Figure, figure } from './figure.ts'
import { observe } from './observe.ts'
import { startRelayProcess, startServerProcess } from './processes.ts'

const CLUSTERS = 40
/** Of each cluster: 20,000 Services and 500,000 Pods in all. */
const SHAPE = { services: 500, podsPerService: 25, podBytes: 5_000, nodes: 250 }
/** Half of the memory of a task of 2 GB. */
const HEAP_MB = 1_024
const PER_SECOND = 2_000
const SECONDS = 30
/** Clusters whose keys are reported one by one, which costs the relay something. */
const OBSERVED = 4
const REST_MS = 10_000

/** Measures what one relay holds: its memory, its start, its pauses, and 2,000 changes of Pods a second. */
export async function measureCapacity(): Promise<Figure[]> {
  const names = Array.from({ length: CLUSTERS }, (_, index) => `cluster-${index}`)
  const [observed, others] = [names.slice(0, OBSERVED), names.slice(OBSERVED)]
  const server = await startServerProcess({ shape: SHAPE, dead: [] })
  const started = performance.now()
  const relay = startRelayProcess({ clusters: names, address: server.address, reported: observed }, HEAP_MB)
  await relay.following(CLUSTERS)
  const readySeconds = (performance.now() - started) / 1000
  const listed = await relay.usage()
  await sleep(REST_MS)
  const rest = await relay.usage()

  const load = { perSecond: PER_SECOND / CLUSTERS, seconds: SECONDS }
  const began = performance.now()
  const [changes] = await Promise.all([
    observe({ servers: new Map(observed.map((name) => [name, server])), relay, ...load }),
    ...others.map((cluster) => server.change({ cluster, ...load })),
  ])
  const seconds = (performance.now() - began) / 1000
  const after = await relay.usage()
  await relay.stop()
  server.stop()
  const services = CLUSTERS * SHAPE.services
  return [
    figure('start of the process to ready', readySeconds, 's', { below: 60 }),
    figure('processor time of that', listed.cpuSeconds, 's'),
    figure('keys sent after the first lists', rest.keysSent, '', { above: services - 1 }),
    figure('longest pause of the event loop, first lists', listed.longestPauseMs, 'ms', { below: 200 }),
    figure('resident memory at rest', rest.rssMb, 'MB'),
    figure('longest pause at rest', rest.longestPauseMs, 'ms', { below: 200 }),
    figure('Pod events taken', (after.events - rest.events) / seconds, '/s'),
    figure('cores in use for them', (after.cpuSeconds - rest.cpuSeconds) / seconds, '', { below: 0.5 }),
    figure('longest pause with events', after.longestPauseMs, 'ms', { below: 200 }),
    figure('change to key, p50', changes.percentile(0.5), 'ms'),
    figure('change to key, p99', changes.percentile(0.99), 'ms'),
    figure('changes without a key', changes.open, '', { below: 1 }),
    figure('resident memory, peak', after.peakRssMb, 'MB', { below: 1_200 }),
  ]
}
