import { describe, expect, it } from 'vitest'
import { makeNode, makeService } from '../../../test/support/world/index.ts'
import { ANNOTATION_PAUSED } from '../../changes/index.ts'
import { type EndpointSlice, IN_TREE_CONTROLLER, LABEL_MANAGED_BY, plan } from '../../endpointslice/index.ts'
import { type ApiClient, SERVICES } from '../../kubernetes/index.ts'
import { parseSettings } from '../../settings/index.ts'
import { createLogger, SILENT_LOG } from '../../telemetry/index.ts'
import { UnknownClusterError } from '../read/readable-cluster.ts'
import type { WallClock } from '../wall-clock.ts'
import { ReadOnlyError, readOnlyClient } from './read-only-client.ts'
import { createShadowReconciler } from './shadow-reconciler.ts'
import type { Compared } from './shadow-report.ts'
import { clientOf, podOf, slicesOf, type World, worldOf } from './world.fixtures.ts'

const KEY = { cluster: 'a', namespace: 'shop', service: 'web', messageIds: [] }

interface Logged extends Readonly<Record<string, unknown>> {
  readonly level: string
  readonly msg: string
}

/**
 * Creates a shadow whose pauses are moments in which the test changes the world.
 * @param readMs time that a sync takes until it has the Service
 */
function setUp(
  world: World,
  onPause: (count: number) => void = () => {},
  mode: 'replace' | 'custom' = 'replace',
  readMs = 0,
) {
  const logged: Logged[] = []
  const compared: Compared[] = []
  const writes: string[] = []
  let pauses = 0
  let now = 1_000_000
  const clock: WallClock = {
    now: () => now,
    async pause(ms) {
      now += ms
      onPause(++pauses)
    },
  }
  const reading = clientOf(world, writes)
  let reads = 0
  const get: ApiClient['get'] = (resource, ...call) => {
    if (resource.kind === SERVICES.kind) {
      reads++
      now += readMs
    }
    return reading.get(resource, ...call)
  }
  const client = { ...reading, get }
  const failures: unknown[] = []
  const reconcile = createShadowReconciler({
    clientOf(name) {
      if (name !== KEY.cluster) throw new UnknownClusterError(`cluster ${name} is not known`)
      return client
    },
    settings: parseSettings({ mode, allowedPods: '*/*=*/*' }),
    logger: createLogger({ write: (line) => void logged.push(JSON.parse(line)) }),
    clock,
    onCompared: (one) => compared.push(one),
    onFailed: (_key, error) => failures.push(error),
  })
  const handle = (sentTimestamp = now, receiveCount = 1): Promise<void> =>
    reconcile(KEY, { signal: new AbortController().signal, receiveCount, sentTimestamp })
  return {
    handle,
    failures,
    now: () => now,
    reads: () => reads,
    logged,
    compared,
    writes,
    pauses: () => pauses,
    async sync() {
      now += 60_000
      await handle()
      return compared.at(-1)?.result
    },
  }
}

describe('a shadow', () => {
  it('finds the same endpoints the same, however they are packed and whosever slices they are', async () => {
    const { sync, logged, pauses } = setUp(worldOf(['a', 'b', 'c', 'd', 'e']))
    expect(await sync()).toBe('same')
    expect(logged).toEqual([])
    expect(pauses()).toBe(0)
  })

  it('finds nothing wrong with a Service that is paused', async () => {
    const world = worldOf(['a', 'b'])
    world.slices = []
    const { service } = world
    const annotations = { [ANNOTATION_PAUSED]: 'true' }
    world.service = { ...service, metadata: { ...service?.metadata, annotations } }
    const { sync, logged } = setUp(world)
    expect(await sync()).toBe('unmanaged')
    expect(logged).toEqual([])
  })

  it('gives the other controller time before it reports, and writes nothing', async () => {
    const world = worldOf(['a', 'b'])
    world.pods.push(podOf('c', '10.0.0.9'))
    const { sync, logged, writes, pauses } = setUp(world, () => {
      world.slices = slicesOf(world)
    })
    expect(await sync()).toBe('same')
    expect(pauses()).toBe(1)
    expect(logged).toEqual([])
    expect(writes).toEqual([])
  })

  it('reports once what lasts, with examples, and once when it is over', async () => {
    const world = worldOf(['a', 'b', 'c', 'd', 'e'])
    const right = world.slices
    world.slices = []
    const { sync, logged, compared, writes } = setUp(world)
    expect(await sync()).toBe('different')
    expect(await sync()).toBe('different')
    expect(compared[0]?.differences).toEqual(new Map([['missing', 5]]))
    expect(logged).toHaveLength(1)
    expect(logged[0]).toMatchObject({
      level: 'warn',
      msg: 'shadow: would publish something else',
      cluster: 'a',
      namespace: 'shop',
      service: 'web',
      differences: 5,
      kinds: { missing: 5 },
      examples: [
        'shop/a (IPv4): no slice has it, would be 10.0.0.1 (ready, serving)',
        'shop/b (IPv4): no slice has it, would be 10.0.0.2 (ready, serving)',
        'shop/c (IPv4): no slice has it, would be 10.0.0.3 (ready, serving)',
      ],
    })
    world.slices = right
    expect(await sync()).toBe('same')
    expect(logged.at(-1)?.msg).toBe('shadow: no longer differs')
    expect(writes).toEqual([])
  })

  it.each([
    ['the same', ['a', 'b']],
    ['different', []],
  ])(
    'syncs again for what was sent while it synced, not for what was sent before: %s',
    async (_, published) => {
      const world = worldOf(['a', 'b'])
      if (published.length === 0) world.slices = []
      const { handle, reads, now } = setUp(world, undefined, 'replace', 60_000)
      const began = now()
      await handle(began)
      const after = reads()
      await handle(began - 2_000)
      expect(reads()).toBe(after)
      await handle(now() - 30_000)
      expect(reads()).toBeGreaterThan(after)
    },
  )

  it('gives up on a Service that differs in another way each time after four comparisons, and begins again', async () => {
    const world = worldOf(['a'])
    world.slices = []
    const { sync, reads, pauses, compared } = setUp(world, (count) => {
      world.pods = [podOf('a', '10.0.0.1', String(count + 1))]
    })
    await sync()
    expect([reads(), pauses()]).toEqual([4, 3])
    await sync()
    expect([reads(), pauses(), compared]).toEqual([8, 6, []])
  })

  it('tells of a read that failed, and compares the next time', async () => {
    const world = worldOf(['a'])
    const { handle, sync, failures, compared } = setUp(world)
    const { service } = world
    Object.defineProperty(world, 'service', {
      configurable: true,
      get: () => expect.fail('the connection was cut'),
    })
    await expect(handle()).rejects.toThrow('cut')
    expect([failures.length, compared]).toEqual([1, []])
    Object.defineProperty(world, 'service', { value: service })
    expect(await sync()).toBe('same')
  })

  it('does not count what others add to the slices that ours would replace, unless there are no such', async () => {
    const world = worldOf(['a'])
    const [slice] = world.slices
    const labels = { ...slice?.metadata?.labels, [LABEL_MANAGED_BY]: 'by-hand' }
    const endpoints = [{ addresses: ['10.9.9.9'] }]
    const byHand = { ...slice, metadata: { ...slice?.metadata, labels }, endpoints } as EndpointSlice
    world.slices = [...world.slices, byHand]
    const { sync, compared } = setUp(world)
    expect(await sync()).toBe('same')
    world.slices = [byHand]
    expect(await sync()).toBe('different')
    expect(compared.at(-1)?.differences).toEqual(
      new Map([
        ['missing', 1],
        ['unexpected', 1],
      ]),
    )
  })

  it('does not compare slices that are being deleted', async () => {
    const world = worldOf(['a'])
    const [slice] = world.slices
    const metadata = { ...slice?.metadata, name: 'old', deletionTimestamp: '2026-03-01T12:00:00Z' }
    world.slices = [...world.slices, { ...slice, metadata } as EndpointSlice]
    expect(await setUp(world).sync()).toBe('same')
  })

  it('leaves alone Services that it would not manage, that go, and that are gone', async () => {
    const world = worldOf(['a'])
    const { sync } = setUp(world)
    world.slices = []
    world.service = { ...world.service, metadata: { ...world.service?.metadata, deletionTimestamp: 'now' } }
    expect(await sync()).toBe('unmanaged')
    world.service = makeService({ namespace: 'shop', selector: null })
    expect(await sync()).toBe('unmanaged')
    world.service = undefined
    expect(await sync()).toBe('unmanaged')
  })

  it('reports an annotation that cannot be used', async () => {
    const world = worldOf([])
    world.service = makeService({
      namespace: 'shop',
      selector: null,
      annotations: { 'sliceflow.dev/selector': 'a in' },
    })
    const { sync, logged } = setUp(world, undefined, 'custom')
    expect(await sync()).toBe('invalid')
    expect(logged[0]?.problem).toContain('sliceflow.dev/selector cannot be used')
  })

  it('reports pods of a cluster that is not known', async () => {
    const world = worldOf([])
    const annotations = { 'sliceflow.dev/selector': 'app=web', 'sliceflow.dev/cluster': 'nowhere' }
    world.service = makeService({ namespace: 'shop', selector: null, annotations })
    const { sync, logged, failures } = setUp(world, undefined, 'custom')
    expect(await sync()).toBe('invalid')
    expect(logged).toMatchObject([{ problem: expect.stringContaining('cluster nowhere is not known') }])
    expect(failures).toEqual([])
  })

  it('reads nothing once its time is over, and needs no report', async () => {
    const calls: string[] = []
    const client = new Proxy({} as ApiClient, {
      get: (_client, name) => async () => {
        calls.push(String(name))
        throw new Error('the connection was cut')
      },
    })
    const reconcile = createShadowReconciler({
      clientOf: () => client,
      settings: parseSettings({ mode: 'replace' }),
      logger: SILENT_LOG,
      clock: { now: () => 0, pause: async () => {} },
    })
    const context = { receiveCount: 1, sentTimestamp: 0 }
    await expect(reconcile(KEY, { ...context, signal: AbortSignal.abort() })).rejects.toThrow(/abort/)
    expect(calls).toEqual([])
  })

  it('takes topology hints that hold for right, whoever dealt them out', async () => {
    const world = worldOf([])
    const annotations = { 'service.kubernetes.io/topology-mode': 'Auto' }
    world.service = { ...world.service, metadata: { ...world.service?.metadata, annotations } }
    world.nodes = ['a', 'b'].map((zone) => ({
      ...makeNode({ name: `node-${zone}`, zone }),
      status: { allocatable: { cpu: '4' }, conditions: [{ type: 'Ready', status: 'True' }] },
    }))
    world.pods = Array.from({ length: 4 }, (_, index) => {
      const one = podOf(`p${index}`, `10.0.0.${index + 1}`)
      return { ...one, spec: { ...one.spec, nodeName: index < 3 ? 'node-a' : 'node-b', containers: [] } }
    })
    const [slice] = plan(
      { service: world.service, pods: world.pods, nodes: world.nodes, slices: [] },
      { managedBy: IN_TREE_CONTROLLER },
    ).create
    // Dealt out again, another pod of zone a would serve zone b.
    const zones = ['a', 'b', 'a', 'b']
    const endpoints = (slice?.endpoints ?? []).map((endpoint, index) => ({
      ...endpoint,
      hints: { forZones: [{ name: zones[index] ?? '' }] },
    }))
    world.slices = [{ ...slice, endpoints } as EndpointSlice]
    expect(await setUp(world).sync()).toBe('same')
  })
})

it('a client that only reads refuses every write before anything is sent', async () => {
  const writes: string[] = []
  const client = readOnlyClient(clientOf(worldOf([]), writes))
  const ref = { namespace: 'shop', name: 'web' }
  const attempts = [
    client.create(SERVICES, {}),
    client.update(SERVICES, {}),
    client.patch(SERVICES, ref, {}),
    client.delete(SERVICES, ref),
  ]
  for (const attempt of attempts) {
    await expect(attempt).rejects.toThrow(ReadOnlyError)
    await expect(attempt).rejects.toMatchObject({ retryable: false })
  }
  expect(writes).toEqual([])
})
