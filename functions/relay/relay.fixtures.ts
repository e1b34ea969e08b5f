import { Registry } from 'prom-client'
import { beforeEach, expect, onTestFinished, vi } from 'vitest'
import { keyText, seal } from '../../shared/changes/index.ts'
import {
  type EndpointSlice,
  LABEL_SERVICE_NAME,
  type Node,
  type Pod,
  plan,
  type Service,
} from '../../shared/endpointslice/index.ts'
import { type ApiClient, createApiClient } from '../../shared/kubernetes/index.ts'
import type { KeyMessage, Lane, QueueSender } from '../../shared/queue/index.ts'
import { parseSettings, type SettingsInput } from '../../shared/settings/index.ts'
import { createLogger, createRelayMetrics } from '../../shared/telemetry/index.ts'
import {
  connectionTo,
  createMemoryCluster,
  type ListWatchServer,
  type MemoryCluster,
  startListWatchServer,
} from '../../test/support/list-watch-server.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { type Relay, type RelayOptions, startRelay } from './index.ts'

export const service = (name: string, annotations: Record<string, string> = {}): Service => ({
  metadata: {
    name,
    namespace: 'shop',
    uid: `uid-${name}`,
    annotations: { 'sliceflow.dev/selector': `app=${name}`, ...annotations },
  },
  spec: {},
})
export const pod = (app: string, ip: string): Pod => ({
  metadata: { name: `${app}-1`, namespace: 'shop', uid: `uid-${app}-1`, labels: { app } },
  spec: { containers: [] },
  status: { podIPs: [{ ip }], conditions: [{ type: 'Ready', status: 'True' }] },
})
/** The Node of the Pods that `placed` makes. */
export const NODE: Node = { metadata: { name: 'n1' } }
export const placed = (app: string, ip: string): Pod => ({
  ...pod(app, ip),
  spec: { containers: [], nodeName: 'n1' },
})
/** Writes the slices of a Service as a function does that sees its Pod at this address, over those before. */
export function writeSlices(
  to: MemoryCluster,
  owner: Service,
  ip: string,
  before: readonly EndpointSlice[] = [],
): EndpointSlice[] {
  const pods = [placed(owner.metadata?.name ?? '', ip)]
  const { create, update } = plan({ service: owner, pods, nodes: [NODE], slices: [...before] })
  const written = [...create, ...update].map(seal)
  for (const each of written) to.put('endpointslices', each)
  return written
}
/** Makes the Services `web` and `api` as functions leave them, and returns their slices. */
export function writeShop(to: MemoryCluster): Record<'web' | 'api', EndpointSlice[]> {
  to.put('nodes', NODE)
  const made = (app: string): EndpointSlice[] => {
    to.put('services', service(app))
    to.put('pods', placed(app, '10.0.0.1'))
    return writeSlices(to, service(app), '10.0.0.1')
  }
  return { web: made('web'), api: made('api') }
}
export const slice = (of: string, ip: string): EndpointSlice =>
  seal({
    metadata: { name: `${of}-1`, namespace: 'shop', labels: { [LABEL_SERVICE_NAME]: of } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [ip] }],
  })

export const never = new AbortController().signal
export const soon = (): AbortSignal => AbortSignal.timeout(50)

/** Waits in turns of the event loop: `vi.waitFor` lets faked timers go on. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve))
}

/** Waits some turns until what has arrived by now is taken in. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Lets fake timers pass in steps, between which the answers to requests come in. */
export async function pass(ms: number): Promise<void> {
  const STEP_MS = 5_000
  for (let left = ms; left > 0; left -= STEP_MS) {
    vi.advanceTimersByTime(Math.min(left, STEP_MS))
    await settle()
  }
}

/** @returns advances the monotonic clock by this number of seconds; no timer fires */
export function useLaterClock(): (seconds: number) => void {
  let laterMs: number
  beforeEach(() => {
    laterMs = 0
  })
  return (seconds) => {
    const now = performance.now.bind(performance)
    laterMs += seconds * 1000
    if (laterMs !== seconds * 1000) return
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + laterMs)
    onTestFinished(() => clock.mockRestore())
  }
}

/** Creates a queue that takes keys, or holds them back. */
export function createQueue() {
  const sent: string[] = []
  const messages: KeyMessage[] = []
  const waiting = new Set<() => void>()
  let isUp = true
  const sender = (lane: Lane): QueueSender => ({
    async send(keys, signal) {
      if (!isUp) {
        await new Promise<void>((resolve) => {
          waiting.add(resolve)
          signal?.addEventListener('abort', () => resolve())
        })
      }
      if (!isUp) return { accepted: [], rejected: [], unsent: keys }
      messages.push(...keys)
      sent.push(...keys.map((key) => `${lane} ${keyText(key)}`))
      return { accepted: keys, rejected: [], unsent: [] }
    },
  })
  return {
    senders: { live: sender('live'), sweep: sender('sweep') },
    taken: () => sent.splice(0).sort(),
    /** Returns the keys of the messages that one cluster’s change is behind, with that cluster. */
    shares: () =>
      messages.flatMap((key) => (key.from === undefined ? [] : [`${keyText(key)} of ${key.from}`])),
    sent,
    messages,
    setUp(up: boolean) {
      isUp = up
      if (up) for (const go of waiting) go()
    },
  }
}

/** The keys of what `shop` makes in cluster a, as a relay sends them that knows nothing. */
export const EVERY_KEY = ['sweep a/shop/api', 'sweep a/shop/web']

/** Gives each test clusters of its own, behind one server. */
function useClusters() {
  let server: ListWatchServer
  let clusters: Map<string, MemoryCluster>

  beforeEach(async () => {
    clusters = new Map()
    server = await startListWatchServer((name) => cluster(name))
    onTestFinished(() => server.close())
  })

  function cluster(name: string): MemoryCluster {
    const known = clusters.get(name)
    if (known !== undefined) return known
    const made = createMemoryCluster((plural, line) => void server.send(name, plural, line))
    clusters.set(name, made)
    return made
  }

  const client = (name: string): ApiClient => createApiClient(connectionTo(name, server.address))

  /** Waits until the watches are open. A watch does not bring what happened before it was opened. */
  const watching = (name: string, watches = 4): Promise<void> =>
    expect.poll(() => server.watchers(name)).toBe(watches)

  function shop(name = 'a'): MemoryCluster {
    const made = cluster(name)
    for (const [app, ip] of [
      ['web', '10.0.0.1'],
      ['api', '10.0.0.2'],
    ] as const) {
      made.put('services', service(app))
      made.put('pods', pod(app, ip))
      made.put('endpointslices', slice(app, ip))
    }
    return made
  }

  return {
    client,
    cluster,
    watching,
    shop,
    get server() {
      return server
    },
  }
}

/**
 * Gives each test clusters, a queue and a state directory of its own, and relays between them that end with
 * the test.
 */
export function useRelays() {
  const scene = useClusters()
  const { client, cluster, shop, watching } = scene
  const passTime = useLaterClock()
  let queue: ReturnType<typeof createQueue>
  let directory: string
  let log: { msg: string; [field: string]: unknown }[]
  let registry: Registry
  /** Services whose change needed no sync. */
  let settled: string[]

  beforeEach(async () => {
    settled = []
    directory = temporaryFolder()
    queue = createQueue()
    log = []
    registry = new Registry()
  })

  /** @param shorter times that the settings do not allow, in seconds */
  function start(
    names: readonly string[],
    settings: SettingsInput = {},
    shorter: { readonly sweepInterval?: number } = {},
    more: Partial<RelayOptions> = {},
  ): Relay {
    registry.clear()
    const relay = startRelay({
      clients: names.map(client),
      settings: {
        ...parseSettings({ stateDir: directory, coalescingWindow: 0, allowedPods: '*/*=*/.', ...settings }),
        ...shorter,
      },
      senders: queue.senders,
      telemetry: {
        logger: createLogger({ write: (line) => log.push(JSON.parse(line)) }),
        metrics: createRelayMetrics(registry),
      },
      observer: { onSettled: ({ service }) => settled.push(service) },
      ...more,
    })
    // Awaited, so that it writes no checkpoint any more when its directory is removed.
    onTestFinished(async () => {
      await relay.stop(soon())
    })
    return relay
  }
  const untilSent = (...keys: string[]): Promise<void> =>
    expect.poll(() => [...queue.sent].sort()).toEqual(keys)
  const metric = async (name: string): Promise<string[]> =>
    (await registry.metrics()).split('\n').filter((line) => line.startsWith(`sliceflow_relay_${name}`))

  /** Waits until this many events of a kind came from cluster a. */
  const seen = (kind: string, events: number): Promise<void> =>
    expect
      .poll(async () => (await metric(`events_total{cluster="a",kind="${kind}"`)).join())
      .toContain(` ${events}`)

  async function runOnce(settings?: SettingsInput): Promise<string[]> {
    const relay = start(['a'], settings)
    await relay.synced
    await relay.stop(never)
    return queue.taken()
  }

  return {
    client,
    cluster,
    start,
    passTime,
    untilSent,
    metric,
    watching,
    seen,
    shop,
    runOnce,
    get server() {
      return scene.server
    },
    get queue() {
      return queue
    },
    get directory() {
      return directory
    },
    get settled() {
      return settled
    },
    get log() {
      return log
    },
  }
}
