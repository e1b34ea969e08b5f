import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { beforeEach, expect, onTestFinished, vi } from 'vitest'
import { type Change, keyText, seal } from '../../shared/changes/index.ts'
import {
  type EndpointSlice,
  LABEL_SERVICE_NAME,
  type Pod,
  type Service,
} from '../../shared/endpointslice/index.ts'
import { createApiClient } from '../../shared/kubernetes/index.ts'
import type { Lane, QueueSender } from '../../shared/queue/index.ts'
import { parseSettings, type SettingsInput } from '../../shared/settings/index.ts'
import { createLogger, createRelayMetrics } from '../../shared/telemetry/index.ts'
import {
  connectionTo,
  createMemoryCluster,
  type ListWatchServer,
  type MemoryCluster,
  startListWatchServer,
} from '../../test/support/list-watch-server.ts'
import { type Relay, startRelay } from './index.ts'

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
export const slice = (of: string, ip: string): EndpointSlice =>
  seal({
    metadata: { name: `${of}-1`, namespace: 'shop', labels: { [LABEL_SERVICE_NAME]: of } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [ip] }],
  })

export const never = new AbortController().signal
export const soon = (): AbortSignal => AbortSignal.timeout(50)

/** A queue that takes keys, or holds them back. */
function createQueue() {
  const sent: string[] = []
  const waiting = new Set<() => void>()
  let isUp = true
  const sender = (lane: Lane): QueueSender => ({
    async send(messages, signal) {
      if (!isUp) {
        await new Promise<void>((resolve) => {
          waiting.add(resolve)
          signal?.addEventListener('abort', () => resolve())
        })
      }
      if (!isUp) return { accepted: [], rejected: [], unsent: messages }
      sent.push(...messages.map((message) => `${lane} ${keyText(message as Change)}`))
      return { accepted: messages, rejected: [], unsent: [] }
    },
  })
  return {
    senders: { live: sender('live'), sweep: sender('sweep') },
    taken: () => sent.splice(0).sort(),
    sent,
    setUp(up: boolean) {
      isUp = up
      if (up) for (const go of waiting) go()
    },
  }
}

/** The keys of what `shop` makes in cluster a, as a relay sends them that knows nothing. */
export const EVERY_KEY = ['sweep a/shop/api', 'sweep a/shop/web']

/** Clusters, a queue and a state directory of each test's own, and relays between them that end with the test. */
export function useRelays() {
  let server: ListWatchServer
  let clusters: Map<string, MemoryCluster>
  let queue: ReturnType<typeof createQueue>
  let directory: string
  let log: { msg: string; [field: string]: unknown }[]
  let registry: Registry

  beforeEach(async () => {
    clusters = new Map()
    server = await startListWatchServer((name) => cluster(name))
    onTestFinished(() => server.close())
    directory = await mkdtemp(join(tmpdir(), 'sliceflow-relay-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    queue = createQueue()
    log = []
    registry = new Registry()
  })

  function cluster(name: string): MemoryCluster {
    const known = clusters.get(name)
    if (known !== undefined) return known
    const made = createMemoryCluster((plural, line) => void server.send(name, plural, line))
    clusters.set(name, made)
    return made
  }

  function start(names: readonly string[], settings: SettingsInput = {}): Relay {
    registry.clear()
    const relay = startRelay({
      clients: names.map((name) => createApiClient(connectionTo(name, server.address))),
      settings: parseSettings({ stateDir: directory, coalescingWindow: 0, ...settings }),
      senders: queue.senders,
      logger: createLogger({ write: (line) => log.push(JSON.parse(line)) }),
      metrics: createRelayMetrics(registry),
    })
    // Awaited, so that it writes no checkpoint any more when its directory is removed.
    onTestFinished(async () => {
      await relay.stop(soon())
    })
    return relay
  }
  const untilSent = (...keys: string[]): Promise<void> =>
    vi.waitFor(() => expect([...queue.sent].sort()).toEqual(keys), 15_000)
  const metric = async (name: string): Promise<string[]> =>
    (await registry.metrics()).split('\n').filter((line) => line.startsWith(`sliceflow_relay_${name}`))

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
  async function runOnce(settings?: SettingsInput): Promise<string[]> {
    const relay = start(['a'], settings)
    await relay.synced
    await relay.stop(never)
    return queue.taken()
  }

  return {
    cluster,
    start,
    untilSent,
    metric,
    shop,
    runOnce,
    get server() {
      return server
    },
    get queue() {
      return queue
    },
    get directory() {
      return directory
    },
    get log() {
      return log
    },
  }
}
