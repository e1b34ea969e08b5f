import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
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

const service = (name: string, annotations: Record<string, string> = {}): Service => ({
  metadata: {
    name,
    namespace: 'shop',
    uid: `uid-${name}`,
    annotations: { 'sliceflow.dev/selector': `app=${name}`, ...annotations },
  },
  spec: {},
})
const pod = (app: string, ip: string): Pod => ({
  metadata: { name: `${app}-1`, namespace: 'shop', uid: `uid-${app}-1`, labels: { app } },
  spec: { containers: [] },
  status: { podIPs: [{ ip }], conditions: [{ type: 'Ready', status: 'True' }] },
})
const slice = (of: string, ip: string): EndpointSlice =>
  seal({
    metadata: { name: `${of}-1`, namespace: 'shop', labels: { [LABEL_SERVICE_NAME]: of } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [ip] }],
  })

const never = new AbortController().signal
const soon = (): AbortSignal => AbortSignal.timeout(50)

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

describe('a relay', () => {
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
    onTestFinished(() => void relay.stop(soon()))
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
  const EVERY_KEY = ['sweep a/shop/api', 'sweep a/shop/web']

  it('sends every key at its first start, and changes from then on', async () => {
    const a = shop()
    const relay = start(['a'])
    await relay.synced
    await untilSent(...EVERY_KEY)
    queue.taken()
    a.put('pods', pod('web', '10.0.0.9'))
    await untilSent('live a/shop/web')
    expect(await metric('keys_sent_total')).toEqual([
      'sliceflow_relay_keys_sent_total{cluster="a",lane="sweep"} 2',
      'sliceflow_relay_keys_sent_total{cluster="a",lane="live"} 1',
    ])
  })

  describe('started again', () => {
    it('sends nothing when nothing changed', async () => {
      shop()
      expect(await runOnce()).toEqual(EVERY_KEY)
      expect(await runOnce()).toEqual([])
      expect(await metric('keys_suppressed_total')).toEqual([
        'sliceflow_relay_keys_suppressed_total{cluster="a"} 2',
      ])
    })

    it.each<[string, (a: MemoryCluster) => void, string[]]>([
      ['a pod changed', (a) => a.put('pods', pod('web', '10.0.0.9')), ['sweep a/shop/web']],
      [
        'a Service changed',
        (a) => a.put('services', service('web', { 'sliceflow.dev/selector': 'app=api' })),
        ['sweep a/shop/web'],
      ],
      ['a slice was edited', (a) => a.put('endpointslices', slice('api', '10.6.6.6')), ['sweep a/shop/api']],
      ['a slice was deleted', (a) => a.remove('endpointslices', slice('api', '')), ['sweep a/shop/api']],
      ['a Service came', (a) => a.put('services', service('till')), ['sweep a/shop/till']],
      [
        'a Service went, with its slices',
        (a) => {
          a.remove('services', service('web'))
          a.remove('endpointslices', slice('web', ''))
        },
        ['sweep a/shop/web'],
      ],
    ])('sends the key when meanwhile %s', async (_, change, keys) => {
      const a = shop()
      await runOnce()
      change(a)
      expect(await runOnce()).toEqual(keys)
    })

    it('sends what the queue had not accepted before the end', async () => {
      const a = shop()
      const relay = start(['a'])
      await relay.synced
      await untilSent(...EVERY_KEY)
      queue.taken()
      queue.setUp(false)
      a.put('pods', pod('web', '10.0.0.9'))
      await vi.waitFor(
        async () => expect((await metric('keys_pending')).join()).toContain('lane="live"} 1'),
        15_000,
      )
      expect(await relay.stop(soon())).toBe(1)
      queue.setUp(true)
      expect(await runOnce()).toEqual(['sweep a/shop/web'])
    })

    it.each<[string, string, (path: string) => Promise<void>, SettingsInput?]>([
      ['damaged', 'it is damaged', (path) => writeFile(path, '{"version":1,')],
      ['of another form', 'it is damaged', (path) => writeFile(path, '[]')],
      ['too old', 'it was written at', (path) => edit(path, { writtenAt: '2020-01-01T00:00:00.000Z' })],
      ['of another version', 'it is of version 0', (path) => edit(path, { version: 0 })],
      ['of another cluster', 'it is of cluster z', (path) => edit(path, { cluster: 'z' })],
      ['made with other settings', 'other settings', async () => {}, { managedBy: 'somebody' }],
      ['gone', 'there is none', (path) => rm(path)],
    ])('sends every key and says why when the checkpoint is %s', async (_, reason, spoil, settings) => {
      shop()
      await runOnce()
      await spoil(join(directory, String((await readdir(directory))[0])))
      expect(await runOnce(settings)).toEqual(EVERY_KEY)
      const line = log.findLast(({ msg }) => msg.includes('without a checkpoint'))
      expect(line).toMatchObject({ keys: 2, requests: 1, reason: expect.stringContaining(reason) })
    })

    it('sends every key when it has no state directory', async () => {
      shop()
      await runOnce({ stateDir: '' })
      expect(await runOnce({ stateDir: '' })).toEqual(EVERY_KEY)
      expect(await readdir(directory)).toEqual([])
    })

    it('goes on without checkpoints where it cannot write them, and says so', async () => {
      shop()
      const file = join(directory, 'a-file')
      await writeFile(file, '')
      expect(await runOnce({ stateDir: file })).toEqual(EVERY_KEY)
      expect(log.map(({ msg }) => msg).join()).toContain('cannot keep the checkpoint')
    })
  })

  const edit = async (path: string, fields: object): Promise<void> =>
    writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), ...fields }))

  it('is ready when every cluster was listed', async () => {
    shop()
    server.setDown(true)
    const relay = start(['a'])
    await vi.waitFor(async () => expect((await metric('watch_failing')).join()).toContain('} 1'), 15_000)
    expect(relay.health()).toMatchObject({ live: { ok: true }, ready: { ok: false } })
    server.setDown(false)
    await relay.synced
    expect(relay.health().ready.ok).toBe(true)
  })

  describe('after an outage of its watches', () => {
    async function outage(relay: Relay, seconds: number): Promise<void> {
      await relay.synced
      await untilSent(...EVERY_KEY)
      queue.taken()
      const failing = async (count: number): Promise<void> =>
        vi.waitFor(
          async () =>
            expect((await metric('watch_failing')).filter((line) => line.endsWith(' 1'))).toHaveLength(count),
          { timeout: 15_000 },
        )
      server.setDown(true)
      await failing(4)
      const clock = performance.now.bind(performance)
      const later = vi.spyOn(performance, 'now').mockImplementation(() => clock() + seconds * 1000)
      onTestFinished(() => later.mockRestore())
      server.setDown(false)
      await failing(0)
    }

    it('of 30 s sends every key once', async () => {
      shop()
      const relay = start(['a'])
      await outage(relay, 31)
      await untilSent(...EVERY_KEY)
      expect(await metric('keys_swept_total')).toContain(
        'sliceflow_relay_keys_swept_total{cluster="a",reason="outage"} 2',
      )
    })

    it('waits with keys that were swept within the sweep lane’s window', async () => {
      shop()
      const relay = start(['a'], { sweepCoalescingWindow: 300 })
      await outage(relay, 31)
      await vi.waitFor(
        async () =>
          expect(await metric('keys_pending')).toContain(
            'sliceflow_relay_keys_pending{cluster="a",lane="sweep"} 2',
          ),
        15_000,
      )
      expect(queue.taken()).toEqual([])
      await relay.stop(never)
      expect(queue.taken()).toEqual(EVERY_KEY)
    })

    it('of 30 s sends the keys of other clusters’ Services that take its pods, while it lasts', async () => {
      cluster('a').put('services', service('web', { 'sliceflow.dev/cluster': 'b' }))
      cluster('b').put('pods', pod('web', '10.0.0.1'))
      const relay = start(['a', 'b'])
      await relay.synced
      const swept = async (): Promise<string[]> =>
        (await metric('keys_swept_total')).filter((line) => line.includes('reason="outage"'))
      server.setDown(true)
      await vi.waitFor(async () => expect((await metric('watch_failing')).join()).toMatch(/"b".*} 1/), 15_000)
      expect(await swept()).toEqual([])
      queue.taken()
      const clock = performance.now.bind(performance)
      const later = vi.spyOn(performance, 'now').mockImplementation(() => clock() + 31_000)
      onTestFinished(() => later.mockRestore())
      await vi.waitFor(
        async () =>
          expect(await swept()).toEqual(['sliceflow_relay_keys_swept_total{cluster="b",reason="outage"} 1']),
        { timeout: 15_000 },
      )
      await untilSent('sweep a/shop/web')
    })

    it('of a few seconds sends nothing', async () => {
      const a = shop()
      const relay = start(['a'])
      await outage(relay, 10)
      a.put('pods', pod('web', '10.0.0.9'))
      await untilSent('live a/shop/web')
    })

    it('leaves no checkpoint if it ends within one', async () => {
      shop()
      await runOnce()
      const relay = start(['a'])
      await relay.synced
      expect(await readdir(directory)).toHaveLength(1)
      server.setDown(true)
      await vi.waitFor(async () => expect((await metric('watch_failing')).join()).toContain('} 1'), 15_000)
      const clock = performance.now.bind(performance)
      const later = vi.spyOn(performance, 'now').mockImplementation(() => clock() + 31_000)
      onTestFinished(() => later.mockRestore())
      await relay.stop(never)
      expect(await readdir(directory)).toEqual([])
    })
  })

  it('harms no other key when the queue is down for long, and loses none', async () => {
    const a = shop()
    queue.setUp(false)
    const relay = start(['a'])
    await relay.synced
    for (let change = 0; change < 50; change++) a.put('pods', pod('web', `10.0.1.${change}`))
    a.put('pods', pod('api', '10.0.1.1'))
    await vi.waitFor(
      async () => expect((await metric('events_total{cluster="a",kind="pods"')).join()).toContain(' 51'),
      15_000,
    )
    expect(
      Number((await metric('oldest_pending_key_seconds{cluster="a",lane="live"}'))[0]?.split(' ')[1]),
    ).toBeGreaterThan(0)
    queue.setUp(true)
    await vi.waitFor(() => expect(new Set(queue.sent)).toContain('live a/shop/api'), 15_000)
    await vi.waitFor(
      async () => expect((await metric('keys_pending')).join()).toMatch(/lane="live"} 0/),
      15_000,
    )
    expect(new Set(queue.taken())).toEqual(new Set([...EVERY_KEY, 'live a/shop/api', 'live a/shop/web']))
  })

  it('passes over malformed objects, tells of them once, and follows the others', async () => {
    const a = shop()
    const relay = start(['a'])
    await relay.synced
    await untilSent(...EVERY_KEY)
    queue.taken()
    for (let time = 0; time < 3; time++)
      server.send('a', 'pods', '{"type":"MODIFIED","object":{"metadata":{"name":7}}}\n')
    server.send('a', 'pods', '{"type":"ADDED","object":null}\n{"type":"ADDED","object":{"metadata":null}}\n')
    server.send(
      'a',
      'services',
      '{"type":"ADDED","object":{"metadata":{"name":"a/b","namespace":"shop","uid":"u"},"spec":{}}}\n',
    )
    a.put('pods', pod('web', '10.0.0.9'))
    await untilSent('live a/shop/web')
    expect(await metric('malformed_objects_total')).toEqual([
      'sliceflow_relay_malformed_objects_total{cluster="a",kind="pods"} 5',
      'sliceflow_relay_malformed_objects_total{cluster="a",kind="services"} 1',
    ])
    expect(log.filter(({ msg }) => msg.includes('malformed'))).toHaveLength(3)
  })

  describe('of a shard', () => {
    const names = Array.from({ length: 12 }, (_, index) => `c${index}`)
    const shard = (index: number): SettingsInput => ({ shard: `${index}/2`, stateDir: '' })

    it('follows its clusters only, and the other one the others', async () => {
      for (const name of names) shop(name)
      const [first, second] = [start(names, shard(0)), start(names, shard(1))]
      await Promise.all([first.synced, second.synced])
      expect([...first.clusters, ...second.clusters].sort()).toEqual([...names].sort())
      for (const relay of [first, second]) expect(relay.clusters.length).toBeGreaterThan(0)
      for (const name of names) expect(server.lists(name, 'services')).toBe(1)
    })

    it('follows pods of another shard’s cluster for its Services that take them', async () => {
      const first = start(names, shard(0))
      const [own = ''] = first.clusters
      const foreign = names.find((name) => !first.clusters.includes(name)) ?? ''
      await first.synced
      expect(server.lists(foreign, 'pods')).toBe(0)
      cluster(own).put('services', service('web', { 'sliceflow.dev/cluster': foreign }))
      await vi.waitFor(() => expect(queue.sent).toContain(`sweep ${own}/shop/web`), 15_000)
      queue.taken()
      cluster(foreign).put('pods', pod('web', '10.0.0.1'))
      cluster(foreign).put('services', service('api'))
      cluster(foreign).put('pods', pod('api', '10.0.0.2'))
      await untilSent(`live ${own}/shop/web`)
      expect(server.lists(foreign, 'services')).toBe(0)
    })
  })
})
