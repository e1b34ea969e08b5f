import { afterEach, describe, expect, it, vi } from 'vitest'
import { makeNode } from '../../test/support/world/index.ts'
import type { EndpointSlice } from '../endpointslice/index.ts'
import { ENDPOINT_SLICES, EVENTS, NODES, PODS } from '../kubernetes/index.ts'
import { parseSettings } from '../settings/index.ts'
import { createLogger } from '../telemetry/index.ts'
import {
  atRest,
  type MemoryCluster,
  slicesWith,
  startProcess,
  webPod,
  webService,
} from './memory-cluster.fixtures.ts'
import { AT_NOON, callsWith, failed, isSynced, NOON, SETTINGS, slices } from './reconcile-service.fixtures.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

describe('a message that waited while its key was synced', () => {
  it('needs no sync if it was sent before that one began, and one if it was sent while that lasted', async () => {
    const cluster = await atRest(3, SETTINGS)
    const process = startProcess(cluster, AT_NOON)
    cluster.before = () => {
      process.clock.now += 60_000
    }
    await process.handle()
    expect(await isSynced(cluster, process, {}, { sentTimestamp: NOON - 2_000 })).toBe(false)
    expect(await isSynced(cluster, process, {}, { sentTimestamp: NOON + 90_000 })).toBe(true)
  })

  it('needs one if that sync failed', async () => {
    const cluster = await atRest(3, SETTINGS)
    const process = startProcess(cluster, AT_NOON)
    cluster.before = () => {
      throw new Error('the connection was cut')
    }
    await expect(process.handle()).rejects.toThrow('cut')
    cluster.before = () => {}
    expect(await isSynced(cluster, process, {}, { sentTimestamp: NOON - 60_000 })).toBe(true)
  })

  it('needs one if that sync was where a hint said, or if it is the audit’s', async () => {
    const cluster = await atRest(3, SETTINGS)
    const process = startProcess(cluster, AT_NOON)
    const hint = { pods: ['web-1'], slices: slicesWith(cluster, 'web-1') }
    const before = { sentTimestamp: NOON - 60_000 }
    await process.handle({ hint })
    const nodesVersion = '5'
    expect(await isSynced(cluster, process, { nodesVersion }, before)).toBe(true)
    expect(await isSynced(cluster, process, { nodesVersion }, before)).toBe(false)
    expect(await isSynced(cluster, process, { nodesVersion, audit: true }, before)).toBe(true)
  })

  it('needs one if it tells of newer pods than that sync has seen', async () => {
    const cluster = await atRest(3, SETTINGS)
    const process = startProcess(cluster, AT_NOON)
    const before = { sentTimestamp: NOON - 60_000 }
    await process.handle({ resourceVersion: '5000' })
    const [version = ''] = cluster.all(PODS).map(({ metadata }) => metadata?.resourceVersion)
    expect(await isSynced(cluster, process, { resourceVersion: version }, before)).toBe(false)
    expect(await isSynced(cluster, process, { resourceVersion: '6000' }, before)).toBe(true)
  })
})

describe('a Node that was cached after a message without a version was sent', () => {
  it('does not stand for one that changed after that', async () => {
    const cluster = await atRest(3, SETTINGS)
    const { clock, handle } = startProcess(cluster, AT_NOON)
    await handle()
    cluster.put(NODES, makeNode({ zone: 'zone-b' }))
    clock.now = NOON + 60_000
    await handle({}, { sentTimestamp: NOON + 30_000 })
    await handle({ nodesVersion: '6' }, { sentTimestamp: NOON + 50_000 })

    const zones = slices(cluster).flatMap(({ endpoints }) => endpoints?.map(({ zone }) => zone) ?? [])
    expect(new Set(zones)).toEqual(new Set(['zone-b']))
  })
})

describe('pods of a cache', () => {
  const lists = (cluster: MemoryCluster): string[] => callsWith(cluster, 'list pods')

  it('suffice for the first sync of a message, as new as that tells of', async () => {
    const cluster = await atRest(3, SETTINGS)
    await startProcess(cluster, AT_NOON).handle({ resourceVersion: '5000' })
    expect(lists(cluster)).toEqual(['list pods not older than 5000'])
  })

  it('do not suffice where the message was received before', async () => {
    const cluster = await atRest(3, SETTINGS)
    await startProcess(cluster, AT_NOON).handle({ resourceVersion: '5000' }, { receiveCount: 2 })
    expect(lists(cluster)).toEqual(['list pods'])
  })

  it('do not suffice for what comes while the key is worked on', async () => {
    const cluster = await atRest(3, SETTINGS)
    const { handle } = startProcess(cluster, AT_NOON)
    await Promise.all([handle({ resourceVersion: '5000' }), handle({ resourceVersion: '6000' })])
    expect(lists(cluster)).toEqual(['list pods not older than 5000', 'list pods'])
  })
})

describe('a process', () => {
  it('fails a key with what its reads fail with, and brings it up to date the next time', async () => {
    const cluster = await failed(1)
    const { handle, failures, outcomes } = startProcess(cluster, AT_NOON)
    const cut = new Error('the connection was cut')
    cluster.before = (call) => {
      if (call === 'list pods') throw cut
    }
    await expect(handle()).rejects.toBe(cut)
    expect([failures, outcomes, callsWith(cluster, 'update')]).toEqual([[cut], [], []])
    cluster.before = () => {}
    await handle()
    expect([failures.length, outcomes.length]).toEqual([1, 1])
    expect(outcomes).toMatchObject([{ updated: 1 }])
  })

  it('reads nothing once the time of its invocation is over', async () => {
    const cluster = await failed(1)
    const { handle, failures } = startProcess(cluster, AT_NOON)
    const reason = new Error('the time is over')
    await expect(handle({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(cluster.calls).toEqual([])
    expect(failures).toEqual([reason])
  })

  it('says in its log from which event and message a write has come', async () => {
    const lines: { readonly msg: string }[] = []
    const logger = createLogger({ write: (line) => lines.push(JSON.parse(line)) })
    const cluster = await failed(1)
    const { handle } = startProcess(cluster, { ...AT_NOON, logger })
    await handle({ triggerTime: '2026-01-01T11:59:58Z' }, { sentTimestamp: NOON - 1_000 })
    expect(lines).toMatchObject([
      {
        msg: 'wrote slices',
        cluster: 'blue',
        service: 'web',
        updated: 1,
        triggerTime: '2026-01-01T11:59:58Z',
        sentAt: '2026-01-01T11:59:59.000Z',
        messageIds: [],
      },
    ])
    cluster.put(PODS, webPod(1))
    await handle({}, { sentTimestamp: Number.NaN })
    expect(lines[1]).not.toHaveProperty('sentAt')
  })
})

describe('slices that somebody edits again and again', () => {
  const ofGreen = { 'sliceflow.dev/selector': 'app=web', 'sliceflow.dev/cluster': 'green' }
  const custom = parseSettings({ mode: 'custom', allowedPods: '*/*=*/*', maxEndpointsPerSlice: 2 })
  const ports = [{ name: 'http', port: 80 }]

  // After pods of another cluster were written, another sync follows, which knows nothing of the fight.
  it.each([
    ['its own cluster', webService(), SETTINGS],
    ['another cluster', webService({ selector: undefined, ports }, ofGreen), custom],
  ])(
    'fail a key of pods of %s while they are left alone, once all else is written',
    async (_, service, settings) => {
      const cluster = await atRest(3, settings, service)
      const holding = (address: string): EndpointSlice | undefined =>
        slices(cluster).find(({ endpoints }) =>
          endpoints?.some(({ addresses }) => addresses.includes(address)),
        )
      const areReady = (address: string): unknown =>
        holding(address)?.endpoints?.map(({ conditions }) => conditions?.ready)
      const unready = { ready: false, serving: false, terminating: false }
      const edit = (): void => {
        const slice = holding('10.0.0.1') ?? expect.fail('no slice has it')
        const endpoints = slice.endpoints?.map((endpoint) => ({ ...endpoint, conditions: unready }))
        cluster.put(ENDPOINT_SLICES, { ...slice, endpoints })
      }
      const { handle, clock, outcomes, failures } = startProcess(cluster, { settings, now: NOON })
      for (let round = 0; round < 5; round++) {
        edit()
        await handle()
      }
      expect(outcomes).toHaveLength(5)

      edit()
      cluster.put(PODS, webPod(3, false))
      await expect(handle()).rejects.toMatchObject({ name: 'SliceFightError', retryAfterSeconds: 30 })

      expect([areReady('10.0.0.1'), areReady('10.0.0.3')]).toEqual([[false, false], [false]])
      expect([outcomes.length, failures.length]).toEqual([5, 1])
      clock.now += 30_000
      await handle()
      expect(areReady('10.0.0.1')).toEqual([true, true])
    },
  )
})

it('slices that somebody deletes again and again are made again five times, and then after 30 s', async () => {
  const cluster = await atRest(1, SETTINGS)
  const { handle, clock, failures } = startProcess(cluster, AT_NOON)
  const deleted = async (): Promise<number> => {
    for (const { metadata } of slices(cluster)) cluster.remove(ENDPOINT_SLICES, metadata?.name ?? '')
    await handle().catch(() => {})
    return slices(cluster).length
  }
  // Nobody knows of slices that an earlier process made.
  for (let times = 0; times < 5; times++) expect([times, await deleted()]).toEqual([times, 1])
  expect(await deleted()).toBe(0)
  expect(failures).toMatchObject([{ name: 'SliceFightError', retryAfterSeconds: 30 }])
  clock.now += 30_000
  expect(await deleted()).toBe(1)
})

it.each([
  [2, ['SecondController']],
  [-2, []],
])('another controller that wrote %i s after the start has these Events: %j', async (seconds, reasons) => {
  const cluster = await atRest(1, SETTINGS)
  const { handle, clock } = startProcess(cluster, AT_NOON)
  const managedFields = [{ manager: 'k3s', time: new Date(NOON + seconds * 1_000).toISOString() }]
  for (const slice of slices(cluster))
    cluster.put(ENDPOINT_SLICES, { ...slice, metadata: { ...slice.metadata, managedFields } })
  clock.now += 5_000
  await handle()
  expect(cluster.all(EVENTS).map(({ reason }) => reason)).toEqual(reasons)
})

describe('an audit', () => {
  const logged = () => {
    const lines: { readonly level: string; readonly msg: string }[] = []
    return { lines, logger: createLogger({ write: (line) => lines.push(JSON.parse(line)) }) }
  }

  it('tells of what it found, after it has given whoever may be at work ten seconds', async () => {
    const { lines, logger } = logged()
    const cluster = await failed(1)
    const { handle, outcomes, pauses } = startProcess(cluster, { ...AT_NOON, logger })
    await handle({ audit: true })
    expect(pauses).toEqual([10_000])
    expect(outcomes).toMatchObject([{ updated: 1, isFinding: true }])
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        service: 'web',
        msg: 'the audit has found slices that were not right',
      }),
    )
  })

  it('mends at once what it did not come to mend the first time, and tells of nothing', async () => {
    const { lines, logger } = logged()
    const cluster = await failed(1)
    const { handle, outcomes, pauses } = startProcess(cluster, { ...AT_NOON, logger })
    await handle({ audit: true }, { receiveCount: 2 })
    expect(pauses).toEqual([])
    expect(outcomes).toMatchObject([{ updated: 1 }])
    expect(outcomes[0]).toHaveProperty('isFinding', undefined)
    expect(lines.map(({ msg }) => msg)).toEqual(['wrote slices'])
  })
})
