import { setTimeout as sleep } from 'node:timers/promises'
import { summarize } from '../race/latencies.ts'
import type { Figure } from '../relay/figure.ts'
import type { BenchCluster } from './arena.ts'
import type { Scene } from './phases.ts'
import { addressOf, type FleetService, must } from './workload.ts'

/** Changes a second of the quiet cluster, and updates a second of the one that floods. */
const QUIET_PER_SECOND = 4
const FLOOD_PER_SECOND = 50
const LARGE = 'x'.repeat(54_000)
/** The 99th percentile of the quiet cluster at most grows so. */
const MOST_TIMES = 2
/** Long enough for the slowest change. */
const SETTLE_MS = 60_000

/** What the flooding cluster does to each of its Services, in turn. */
const FLOODS: Readonly<
  Record<string, (cluster: BenchCluster, service: FleetService, nth: number) => Promise<void>>
> = {
  'large annotations of exports': ({ client }, { namespace, name }, nth) =>
    must(
      client.patch(`/apis/multicluster.x-k8s.io/v1beta1/namespaces/${namespace}/serviceexports/${name}`, {
        metadata: { annotations: { note: `${nth} ${LARGE}` } },
      }),
    ),
  'large annotations of Services': ({ client }, { namespace, name }, nth) =>
    must(
      client.patch(`/api/v1/namespaces/${namespace}/services/${name}`, {
        metadata: { annotations: { note: `${nth} ${LARGE}` } },
      }),
    ),
  'endpoints that become ready and unready': (cluster, service, nth) =>
    patchSlice(cluster, service, [{ addresses: ['10.99.0.1'], conditions: { ready: nth % 2 === 0 } }]),
}

const patchSlice = (
  { client }: BenchCluster,
  { namespace, name }: FleetService,
  endpoints: readonly object[],
): Promise<void> =>
  must(
    client.patch(`/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices/${name}`, { endpoints }),
  )

/** Measures how late the changes of a quiet cluster are, without and beside one that floods the set. */
export async function measureFlood(scene: Scene, seconds: number): Promise<Figure[]> {
  const [quiet, flooding] = [2, 3]
  const [quietCluster, floodingCluster] = [scene.clusters[quiet], scene.clusters[flooding]]
  if (quietCluster === undefined || floodingCluster === undefined)
    throw new Error('a flood takes 4 clusters or more')
  const own = (index: number, other: number): readonly FleetService[] =>
    scene.services.filter(({ exporters }) => exporters.includes(index) && !exporters.includes(other))
  const flooded = own(flooding, quiet)
  const changed = own(quiet, flooding)
  let addresses = 20_000

  async function changeQuiet(): Promise<number> {
    const before = scene.arrivals.delays.length
    const last = new Map<FleetService, string>()
    await repeat(seconds, QUIET_PER_SECOND, async (nth) => {
      const service = changed[nth % changed.length]
      if (service === undefined) return
      const address = addressOf(quiet, ++addresses)
      scene.arrivals.ready(address)
      const gone = last.get(service)
      if (gone !== undefined) scene.arrivals.gone(gone)
      last.set(service, address)
      await patchSlice(quietCluster as BenchCluster, service, [{ addresses: [address] }])
    })
    const end = performance.now() + SETTLE_MS
    while (scene.arrivals.open > 0 && performance.now() < end) await sleep(100)
    return summarize(scene.arrivals.delays.slice(before)).p99
  }

  scene.report('a quiet cluster, without a flood')
  const alone = await changeQuiet()
  const figures: Figure[] = [{ name: 'quiet cluster: p99 without a flood', value: alone, unit: 'ms' }]
  for (const [what, act] of Object.entries(FLOODS)) {
    scene.report(`a quiet cluster, beside a flood of ${what}`)
    const flood = repeat(seconds, FLOOD_PER_SECOND, (nth) => {
      const service = flooded[nth % flooded.length]
      return service === undefined ? Promise.resolve() : act(floodingCluster, service, nth)
    })
    const [p99] = await Promise.all([changeQuiet(), flood])
    figures.push({
      name: `quiet cluster: p99 beside ${what}`,
      value: p99,
      unit: 'ms',
      goal: { below: alone * MOST_TIMES },
    })
    figures.push({
      name: 'changes of it that did not arrive',
      value: scene.arrivals.open,
      unit: '',
      goal: { below: 1 },
    })
    await sleep(5_000)
  }
  return figures
}

/** Does something so many times a second. */
async function repeat(
  seconds: number,
  perSecond: number,
  act: (nth: number) => Promise<void>,
): Promise<void> {
  const started = performance.now()
  const running: Promise<void>[] = []
  for (let nth = 0; nth < seconds * perSecond; nth++) {
    await sleep(Math.max(0, started + (nth * 1000) / perSecond - performance.now()))
    running.push(act(nth))
  }
  await Promise.all(running)
}
