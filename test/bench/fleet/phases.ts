import { setTimeout as sleep } from 'node:timers/promises'
import { derivedServiceName } from '../../../shared/fleet/index.ts'
import type { SliceflowProcess } from '../../support/sliceflow-process.ts'
import { summarize } from '../race/latencies.ts'
import { type Figure, figure } from '../relay/figure.ts'
import type { BenchCluster } from './arena.ts'
import type { Arrivals } from './arrivals.ts'
import type { AuditedRequest } from './audit-log.ts'
import { type Rolling, roll } from './rolling.ts'
import type { ClusterPods, FleetService } from './workload.ts'

export interface Scene {
  readonly clusters: readonly BenchCluster[]
  readonly services: readonly FleetService[]
  readonly pods: readonly ClusterPods[]
  readonly arrivals: Arrivals
  start(): SliceflowProcess
  report(line: string): void
}

/** Nothing that is on its way takes so long. */
const QUIET_MS = 6_000
const MAX_MS = 200_000
const POLL_MS = 100

/** Measures the way from an empty set to every import in every cluster. */
export async function measureFirstSync(
  scene: Scene,
  podsOfEach: number,
): Promise<{ sliceflow: SliceflowProcess; figures: Figure[] }> {
  const { services, arrivals, clusters, report } = scene
  const wanted = services.length * 2 * podsOfEach
  report(
    `starting Sliceflow: ${services.length} Services, ${wanted} endpoints in ${clusters.length} clusters`,
  )
  const started = performance.now()
  const sliceflow = scene.start()
  await sliceflow.ready
  await waitFor(() => arrivals.shown.every((shown) => shown.size >= wanted))
  const seconds = (arrivals.lastAt - started) / 1000
  const requests = await untilQuiet(scene)
  const figures = [
    figure('from the start to all imports in all clusters', seconds, 's'),
    figure('writes of that, a Service and cluster', perImport(writesOf(requests).length, scene), ''),
    figure('reads of that, a Service and cluster', perImport(readsOf(requests).length, scene), ''),
  ]
  return { sliceflow, figures }
}

const perImport = (requests: number, { services, clusters }: Scene): number =>
  requests / (services.length * clusters.length)

/** Replaces pods of those clusters that have some. */
export async function measureRolling(scene: Scene, rolling: Rolling): Promise<Figure[]> {
  const { arrivals, pods, clusters, report } = scene
  report(`rolling updates for ${rolling.seconds} s`)
  const before = { events: arrivals.events, bytes: arrivals.bytes, changes: arrivals.delays.length }
  const bytesRead = await readBytes(clusters)
  const rolled = await Promise.all(
    pods.filter(({ cluster }) => cluster.hasPods).map((each) => roll(each, arrivals, rolling)),
  )
  await waitFor(() => arrivals.open === 0)
  const requests = await untilQuiet(scene)
  const read = (await readBytes(clusters)) - bytesRead
  const touched = new Set(rolled.flatMap((each) => [...each]))
  const { count, p50, p99, max } = summarize(arrivals.delays.slice(before.changes))
  const changes = count + arrivals.open
  const events = arrivals.events - before.events
  return [
    figure('changes: a pod that is ready, or gone', changes, ''),
    figure('changes that did not arrive everywhere', arrivals.open, '', { below: 1 }),
    figure('from the pod’s change to every cluster’s slices, p50', p50, 'ms'),
    figure('the same, p99', p99, 'ms', { below: 2_000 }),
    figure('the same, the longest', max, 'ms'),
    figure('writes a change and cluster', writesOf(requests).length / changes / clusters.length, ''),
    figure('bytes of a written slice', (arrivals.bytes - before.bytes) / events, 'B'),
    figure('reads a change', readsOf(requests).length / changes, ''),
    // The embedded server does not count them.
    ...(read > 0 ? [figure('bytes read a change', read / changes, 'B')] : []),
    figure('reads of Services that did not change', readsBeside(requests, touched).length, '', { below: 1 }),
  ]
}

/** Ends Sliceflow, and starts another one where nothing has changed. */
export async function measureRestart(scene: Scene, sliceflow: SliceflowProcess): Promise<Figure[]> {
  scene.report('starting Sliceflow again')
  sliceflow.kill('SIGTERM')
  await sliceflow.ended
  await untilQuiet(scene)
  const began = Date.now()
  const again = scene.start()
  try {
    await again.ready
    const ready = (Date.now() - began) / 1000
    const requests = (await untilQuiet(scene)).filter(({ verb }) => verb !== 'watch')
    const last = Math.max(began, ...requests.map(({ at }) => at))
    return [
      figure('restart: from the start to the line "ready"', ready, 's'),
      figure('restart: from the start to its last request', (last - began) / 1000, 's'),
      figure('restart: writes', writesOf(requests).length, '', { below: 1 }),
      figure('restart: reads', readsOf(requests).length, ''),
    ]
  } finally {
    again.kill('SIGKILL')
    await again.ended
  }
}

/** Waits until Sliceflow has asked nothing for a while. Gives what it has asked since the last time. */
async function untilQuiet({ clusters }: Scene): Promise<AuditedRequest[]> {
  const all: AuditedRequest[] = []
  let quietSince = performance.now()
  const end = performance.now() + MAX_MS
  while (performance.now() - quietSince < QUIET_MS && performance.now() < end) {
    await sleep(POLL_MS)
    const some = (await Promise.all(clusters.map(({ audit }) => audit.read()))).flat()
    all.push(...some)
    // A watch is answered when it ends, and opened again.
    if (some.some(({ verb }) => verb !== 'watch')) quietSince = performance.now()
  }
  return all
}

async function waitFor(condition: () => boolean): Promise<void> {
  const end = performance.now() + MAX_MS
  while (!condition() && performance.now() < end) await sleep(POLL_MS)
}

const SAMPLE = /^apiserver_response_sizes_sum\{(.*)\} (\S+)$/gm

/** Sums bytes of answers to reads: while it is measured, everybody but Sliceflow watches. */
async function readBytes(clusters: readonly BenchCluster[]): Promise<number> {
  const texts = await Promise.all(clusters.map(({ client }) => client.get('/metrics')))
  return texts
    .flatMap(({ text }) => [...text.matchAll(SAMPLE)])
    .filter(([, labels = '']) => /verb="(GET|LIST)"/.test(labels) && !/(^|,)resource=""/.test(labels))
    .reduce((sum, [, , value]) => sum + Number(value), 0)
}

const WRITES = new Set(['create', 'update', 'patch', 'delete'])

const writesOf = (requests: readonly AuditedRequest[]): AuditedRequest[] =>
  requests.filter(({ verb }) => WRITES.has(verb))

const readsOf = (requests: readonly AuditedRequest[]): AuditedRequest[] =>
  requests.filter(({ verb, resource }) => (verb === 'get' || verb === 'list') && resource !== '')

/** Finds reads that are not about one of these Services, its export, import, derived Service or slices. */
function readsBeside(
  requests: readonly AuditedRequest[],
  services: ReadonlySet<FleetService>,
): AuditedRequest[] {
  const known = new Set<string>()
  for (const { namespace, name } of services) {
    known.add(`${namespace}/${name}`)
    known.add(`${namespace}/${derivedServiceName(namespace, name)}`)
  }
  return readsOf(requests).filter((request) => !known.has(`${request.namespace}/${subjectOf(request)}`))
}

/** Returns what a read is about: a list of slices names it in its selector, a slice in its own name. */
function subjectOf({ name, resource, uri }: AuditedRequest): string {
  const selector = new URL(uri, 'https://server').searchParams.get('labelSelector') ?? ''
  if (resource !== 'endpointslices') return name
  const label = /(?:service-name)(?:=|%3D|\s+in\s+\()([^,)]+)/.exec(selector)?.[1]
  return label ?? name.replace(/-[a-z0-9]{5,10}$/, '')
}
