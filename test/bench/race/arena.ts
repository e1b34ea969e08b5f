import { setTimeout as sleep } from 'node:timers/promises'
import type { EndpointSlice } from '../../../shared/endpointslice/index.ts'
import {
  type ApiClient,
  type ApiObject,
  ENDPOINT_SELECTORS,
  NAMESPACES,
  SERVICES,
} from '../../../shared/kubernetes/index.ts'
import { startApiServer } from '../../cluster/api-server.ts'
import { defineEndpointSelectors } from '../../end-to-end/selector-scene.ts'
import { openKubeconfigs } from '../../support/kubeconfig-folder.ts'
import { createRawClient, type RawClient } from '../../support/raw-client.ts'
import { IN_TREE_CONTROLLER } from '../../support/workload.ts'
import {
  checkSlices,
  makeService,
  OF_SELECTORS,
  readObjects,
  readSlices,
  serviceOf,
} from '../../support/world/index.ts'
import { type ApiTraffic, trafficOf } from './api-metrics.ts'
import type { Contender } from './contenders.ts'
import { startDistance } from './distance.ts'
import { createJudge, type Judge, type Judgement, type Latency } from './judge.ts'
import { createLedger, entered } from './ledger.ts'
import { PodLoader } from './pod-loader.ts'
import { createPublications } from './publications.ts'
import { selectorClient } from './selector-client.ts'
import { watchSlices } from './slice-watch.ts'
import { type MeterReading, startMeter } from './usage.ts'

/** A fresh cluster with one contender on it, which is judged by what the driver writes and a watch shows. */
export interface Arena {
  /** Client for the driver's writes. What each write makes the contender owe is noted. */
  readonly client: ApiClient
  /** A line of progress. */
  readonly report: (line: string) => void
  /** Waits until every address is right. @throws if that takes too long */
  right(): Promise<void>
}

/** Kind of the objects that select Pods. */
export type Owner = 'Service' | 'EndpointSelector'

/** Result of one phase. */
export interface PhaseResult extends Judgement, MeterReading {
  readonly seconds: number
  /** Number of the driver's writes. */
  readonly writes: number
  readonly sliceWrites: number
  readonly watchBytes: number
  readonly traffic: ApiTraffic
  /** Differences in the end; empty when all was right. */
  readonly differences: readonly string[]
}

/** Prepares the cluster and returns the phase that is to be measured. */
export type Preparation = (arena: Arena) => Promise<() => Promise<void>>

const START_MS = 60_000
/** A contender that is later than this is not late but wrong. */
const RIGHT_MS = 60_000
/** What was there before the contender is one backlog of it. */
const BACKLOG_MS = 600_000
const QUIET_MS = 3_000
const POLL_MS = 10

interface ArenaOptions {
  /** Name of the contender in the progress. */
  readonly contender: string
  /** Starts it on the cluster of this kubeconfig. */
  readonly start: (kubeconfig: string) => Promise<Contender>
  /** What the driver writes where it is asked to write Services. Default: Service. */
  readonly owner?: Owner | undefined
  /**
   * Whether the contender is started only when everything is prepared; Pods are then written into etcd.
   * Default: before, and through the API server.
   */
  readonly isPreparedFirst?: boolean | undefined
  /** Milliseconds of a round trip between contender and API server; default: they are on one machine. */
  readonly roundTripMs?: number | undefined
  readonly report: (line: string) => void
  /** Called for each observed change, including those of the preparation. */
  readonly onLatency?: (latency: Latency) => void
}

/**
 * Plays one phase:
 * 1. starts a cluster, prepares, and starts the contender, before or after that;
 * 2. waits until all is right and the contender has been quiet for 3 s;
 * 3. plays the phase, and waits until every address is right;
 * 4. reads all slices and compares them with what they must be, to the last field.
 */
export async function playPhase(prepare: Preparation, options: ArenaOptions): Promise<PhaseResult> {
  await using stack = new AsyncDisposableStack()
  const server = stack.adopt(await startApiServer(), (started) => started.stop())
  const kubeconfigs = stack.adopt(await openKubeconfigs(), (folder) => folder.close())
  const { client: plain } = await kubeconfigs.connect(server.kubeconfig.text)
  const raw = stack.adopt(createRawClient(server.kubeconfig.text), (client) => client.close())

  const { owner = 'Service', isPreparedFirst = false } = options
  // Slices of EndpointSelectors never have the in-tree controller's value.
  const managedBy = owner === 'Service' ? IN_TREE_CONTROLLER : 'sliceflow.dev'
  const judge = createJudge(options.onLatency)
  const publications = createPublications((address, value) => judge.see(address, value, performance.now()))
  const watch = stack.adopt(await watchSlices(raw, publications, managedBy), (open) => open.close())
  const namespaces: string[] = []
  let writes = 0
  const ledger = createLedger(judge)
  const noted = (inner: ApiClient): ApiClient =>
    entered(namespacesNoted(inner, namespaces), ledger, () => writes++)
  const loader = isPreparedFirst ? new PodLoader(plain, server.etcd) : undefined
  const { client: inner } = loader ?? { client: plain }
  const client = noted(owner === 'Service' ? inner : selectorClient(inner))
  if (owner === 'EndpointSelector') await defineEndpointSelectors(plain)
  const wait = (what: string, condition: () => boolean, timeoutMs: number): Promise<void> =>
    Promise.race([waitUntil(what, condition, timeoutMs), watch.broken])
  const right = (timeoutMs = RIGHT_MS): Promise<void> =>
    wait('every address to be right', () => judge.wrong.size === 0, timeoutMs)

  const distance =
    options.roundTripMs === undefined
      ? undefined
      : stack.adopt(await startDistance(server, options.roundTripMs), (started) => started.stop())
  const { kubeconfig = server.kubeconfig.path } = distance ?? {}
  const startContender = async (): Promise<Contender> => {
    const started = stack.adopt(await options.start(kubeconfig), (one) => one.stop())
    await createProbe(noted(plain))
    await wait(`${options.contender} to write the first slice`, () => watch.events > 0, START_MS)
    return started
  }
  const running = isPreparedFirst ? undefined : await startContender()
  options.report('preparing')
  const phase = await prepare({ client, report: options.report, right })
  await loader?.load()
  const contender = running ?? (await startContender())
  await right(isPreparedFirst ? BACKLOG_MS : RIGHT_MS)
  await wait('the contender to be quiet', () => performance.now() - watch.lastAt > QUIET_MS, RIGHT_MS)

  options.report('measuring')
  judge.reset()
  writes = 0
  const before = { events: watch.events, bytes: watch.bytes, traffic: await readTraffic(raw) }
  const endMeter = await startMeter({ controller: contender.pid, proxy: distance?.pid, ...server.pids })
  const started = performance.now()
  await phase()
  const late = await lateAddresses(right, judge)
  const seconds = (performance.now() - started) / 1000
  const reading = await endMeter()
  const traffic = await readTraffic(raw)
  return {
    ...judge.judgement(),
    ...reading,
    seconds,
    writes,
    sliceWrites: watch.events - before.events,
    watchBytes: watch.bytes - before.bytes,
    traffic: {
      requests: traffic.requests - before.traffic.requests,
      kilobytesRead: traffic.kilobytesRead - before.traffic.kilobytesRead,
    },
    differences: [...late, ...(await differencesIn(plain, namespaces, { owner, managedBy }))],
  }
}

async function waitUntil(what: string, condition: () => boolean, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!condition()) {
    if (performance.now() > deadline) throw new TimeoutError(`waited ${timeoutMs / 1000} s for ${what}`)
    await sleep(POLL_MS)
  }
}

class TimeoutError extends Error {}

/**
 * Creates a Service without pods. It gets a slice without endpoints, which shows that the contender is at
 * work.
 */
async function createProbe(client: ApiClient): Promise<void> {
  await client.create(NAMESPACES, { metadata: { name: 'probe' } })
  await client.create(SERVICES, makeService({ namespace: 'probe' }))
}

/** Notes the namespaces that are created. */
const namespacesNoted = (client: ApiClient, namespaces: string[]): ApiClient => ({
  ...client,
  create(resource, object, options) {
    if (resource === NAMESPACES) namespaces.push(object.metadata?.name ?? '')
    return client.create(resource, object, options)
  },
})

const readTraffic = async (raw: RawClient): Promise<ApiTraffic> => trafficOf((await raw.get('/metrics')).text)

async function lateAddresses(right: () => Promise<void>, judge: Judge): Promise<string[]> {
  try {
    await right()
    return []
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error
    return Array.from(judge.wrong, (address) => `${address} is not as it ought to be`)
  }
}

async function differencesIn(
  client: ApiClient,
  namespaces: readonly string[],
  { owner, managedBy }: { readonly owner: Owner; readonly managedBy: string },
): Promise<string[]> {
  const objects = await readObjects(client, namespaces)
  const selectors =
    owner === 'Service'
      ? []
      : await Promise.all(namespaces.map((namespace) => client.list(ENDPOINT_SELECTORS, { namespace })))
  const ofSelectors = selectors.flatMap(({ items }) => items.map((one) => serviceOf(one)))
  const deadline = performance.now() + QUIET_MS
  for (;;) {
    const all = await readSlices(client, namespaces)
    const isOfSelector = ({ metadata }: EndpointSlice): boolean =>
      metadata?.labels?.[OF_SELECTORS.nameLabel] !== undefined
    const input = { mode: 'replace', managedBy, nodes: objects.nodes } as const
    // For each namespace alone, as every Service is asked of every Pod.
    const found = namespaces.flatMap((namespace) => {
      const [pods, services] = [inOne(namespace, objects.pods), inOne(namespace, objects.services)]
      const slices = Object.groupBy(inOne(namespace, all), (slice) =>
        isOfSelector(slice) ? 'ofSelectors' : 'ofServices',
      )
      const selectors = { services: inOne(namespace, ofSelectors), owner: OF_SELECTORS }
      return [
        ...checkSlices({ ...input, pods, services, slices: slices.ofServices ?? [] }),
        ...checkSlices({ ...input, pods, ...selectors, slices: slices.ofSelectors ?? [] }),
      ]
    })
    if (found.length === 0 || performance.now() > deadline) return found
    await sleep(250)
  }
}

const inOne = <T extends ApiObject>(namespace: string, objects: readonly T[]): T[] =>
  objects.filter(({ metadata }) => metadata?.namespace === namespace)
