import { setTimeout as sleep } from 'node:timers/promises'
import type { Figure } from './figure.ts'
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
    { name: 'start of the process to ready', value: readySeconds, unit: 's', goal: { below: 60 } },
    { name: 'processor time of that', value: listed.cpuSeconds, unit: 's' },
    {
      name: 'keys sent after the first lists',
      value: rest.keysSent,
      unit: '',
      goal: { above: services - 1 },
    },
    {
      name: 'longest pause of the event loop, first lists',
      value: listed.longestPauseMs,
      unit: 'ms',
      goal: { below: 200 },
    },
    { name: 'resident memory at rest', value: rest.rssMb, unit: 'MB' },
    { name: 'longest pause at rest', value: rest.longestPauseMs, unit: 'ms', goal: { below: 200 } },
    { name: 'Pod events taken', value: (after.events - rest.events) / seconds, unit: '/s' },
    {
      name: 'cores in use for them',
      value: (after.cpuSeconds - rest.cpuSeconds) / seconds,
      unit: '',
      goal: { below: 0.5 },
    },
    { name: 'longest pause with events', value: after.longestPauseMs, unit: 'ms', goal: { below: 200 } },
    { name: 'change to key, p50', value: changes.percentile(0.5), unit: 'ms' },
    { name: 'change to key, p99', value: changes.percentile(0.99), unit: 'ms' },
    { name: 'changes without a key', value: changes.open, unit: '', goal: { below: 1 } },
    { name: 'resident memory, peak', value: after.peakRssMb, unit: 'MB', goal: { below: 1_200 } },
  ]
}
