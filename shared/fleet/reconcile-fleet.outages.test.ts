import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasSeal, isSealed } from '../changes/index.ts'
import type { EndpointSlice, Service } from '../endpointslice/index.ts'
import {
  ApiError,
  ConnectionError,
  ENDPOINT_SLICES,
  NAMESPACES,
  NotFoundError,
  SERVICES,
} from '../kubernetes/index.ts'
import type { MemoryCluster } from '../reconciler/memory-cluster.fixtures.ts'
import { CONDITION_UNREACHABLE, LABEL_SOURCE_CLUSTER, type ServiceImport } from './index.ts'
import { EXPORTS, type Fleet, IMPORTS, openFleetOf, sourceSlice } from './reconcile-fleet.fixtures.ts'

const IDS = ['a', 'b', 'c'] as const
type Id = (typeof IDS)[number]

/** Ways in which a cluster does not say what it exports. */
const FAULTS: Readonly<Record<string, { readonly of: RegExp; readonly error: () => Error }>> = {
  network: { of: /./, error: () => new ConnectionError('connect', 'ECONNREFUSED') },
  unauthorized: { of: /./, error: () => new ApiError('read', 401, {}) },
  unavailable: { of: /./, error: () => new ApiError('read', 503, {}) },
  discovery: { of: /^read /, error: () => new ApiError('read', 403, {}) },
  exports: { of: /serviceexports/, error: () => new ApiError('read', 403, {}) },
  services: { of: /get services web$/, error: () => new ApiError('read', 403, {}) },
  slices: { of: /list endpointslices/, error: () => new ApiError('read', 403, {}) },
}

function setFault(cluster: MemoryCluster, name: string | undefined): void {
  const fault = name === undefined ? undefined : FAULTS[name]
  cluster.before = (call) => {
    if (fault?.of.test(call)) throw fault.error()
  }
}

const setPort = (cluster: MemoryCluster, port: number): unknown =>
  cluster.put<Service>(SERVICES, {
    metadata: { name: 'web', namespace: 'shop' },
    spec: { ports: [{ name: 'http', port, protocol: 'TCP' }] },
  })

const createdAt = (cluster: MemoryCluster, creationTimestamp: string): unknown =>
  cluster.put(EXPORTS, { metadata: { name: 'web', namespace: 'shop', creationTimestamp } } as never)

/** Opens three clusters; the export of `a` is the oldest. */
function openThree(settings: Parameters<typeof openFleetOf>[3] = {}): Fleet<Id> {
  const fleet = openFleetOf<Id>(IDS, { c: 'import' }, {}, settings)
  createdAt(fleet.clusters.a, '2026-01-01T00:00:00Z')
  createdAt(fleet.clusters.b, '2026-01-02T00:00:00Z')
  return fleet
}

/** Returns the ports of the import, and the endpoints by their source. */
function imported(cluster: MemoryCluster): unknown {
  const [object] = cluster.all<ServiceImport>(IMPORTS)
  if (object === undefined) return undefined
  const endpoints = cluster
    .all<EndpointSlice>(ENDPOINT_SLICES)
    .flatMap(({ metadata, endpoints }) => {
      const source = metadata?.labels?.[LABEL_SOURCE_CLUSTER]
      return source === undefined ? [] : (endpoints ?? []).map(({ addresses }) => `${source}/${addresses}`)
    })
    .sort()
  return { ports: object.spec?.ports.map(({ name, port }) => `${name}:${port}`), endpoints }
}

const conditionsOf = (cluster: MemoryCluster): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (cluster.all<ServiceImport>(IMPORTS)[0]?.status?.conditions ?? []).map(({ type, message }) => [
      type,
      message,
    ]),
  )

describe('a cluster of the set that does not say what it exports', () => {
  it.each(Object.keys(FAULTS))('(%s) keeps its part, and the others follow their changes', async (fault) => {
    const { clusters, handle, restart } = openThree()
    await handle()
    setFault(clusters.b, fault)
    setPort(clusters.a, 8000)
    clusters.a.put(ENDPOINT_SLICES, sourceSlice('10.1.0.9'))
    for (let processes = 0; processes < 2; processes++) {
      restart()
      await expect(handle()).rejects.toThrow('failed to bring')
      for (const cluster of [clusters.a, clusters.c])
        expect(imported(cluster)).toEqual({ ports: ['http:8000'], endpoints: ['a/10.1.0.9', 'b/10.2.0.1'] })
    }
    expect(conditionsOf(clusters.c)).toMatchObject({
      Ready: 'the import is up to date, except for what clusters export that cannot be read',
      [CONDITION_UNREACHABLE]: 'b cannot be read since 1970-01-01T00:00:00Z: its endpoints stay as they were',
    })
    setFault(clusters.b, undefined)
    setPort(clusters.b, 8000)
    restart()
    await handle()
    expect(imported(clusters.c)).toEqual({ ports: ['http:8000'], endpoints: ['a/10.1.0.9', 'b/10.2.0.1'] })
    expect(Object.keys(conditionsOf(clusters.c))).toEqual(['Ready'])
  })

  it.each(['keep', 'expire'] as const)(
    'keeps no address that is refused by now, and all others: %s',
    async (unreachableCluster) => {
      const { clusters, handle, restart } = openThree({ settings: { unreachableCluster } })
      const { name } = sourceSlice('10.2.0.1').metadata ?? {}
      const two = { ...sourceSlice('10.2.0.1'), endpoints: [] as { addresses: string[] }[] }
      two.endpoints.push({ addresses: ['10.2.0.1'] }, { addresses: ['10.2.1.1'] })
      clusters.b.put(ENDPOINT_SLICES, { ...two, metadata: { ...two.metadata, name } } as EndpointSlice)
      await handle()
      setFault(clusters.b, 'network')
      restart({ refusedAddresses: '10.2.1.0/24,10.1.0.0/24' })
      for (let times = 0; times < 2; times++) {
        await expect(handle()).rejects.toThrow('failed to bring')
        expect(imported(clusters.c)).toMatchObject({ endpoints: ['b/10.2.0.1'] })
      }
      const imports = clusters.c.all<EndpointSlice>(ENDPOINT_SLICES).filter(hasSeal)
      expect(imports.map((slice) => isSealed(slice))).not.toContain(false)
      setFault(clusters.b, undefined)
      restart({ refusedAddresses: 'none' })
      await handle()
      expect(imported(clusters.c)).toMatchObject({ endpoints: ['a/10.1.0.1', 'b/10.2.0.1', 'b/10.2.1.1'] })
    },
  )

  it.each(['the same process', 'another process'])(
    'keeps the ports that it alone has, also those without an endpoint, and no port of others: %s',
    async (process) => {
      const { clusters, handle, restart } = openThree()
      const withPorts = (cluster: MemoryCluster, ports: Readonly<Record<string, number>>): unknown =>
        cluster.put<Service>(SERVICES, {
          metadata: { name: 'web', namespace: 'shop' },
          spec: { ports: Object.entries(ports).map(([name, port]) => ({ name, port, protocol: 'TCP' })) },
        })
      withPorts(clusters.a, { http: 80, admin: 90 })
      withPorts(clusters.b, { http: 80, metrics: 9090 })
      await handle()
      setFault(clusters.b, 'exports')
      withPorts(clusters.a, { http: 80, debug: 91 })
      for (let times = 0; times < 2; times++) {
        if (process === 'another process') restart()
        await expect(handle()).rejects.toThrow('failed to bring')
        expect(imported(clusters.c)).toMatchObject({ ports: ['http:80', 'debug:91', 'metrics:9090'] })
      }
      setFault(clusters.b, undefined)
      withPorts(clusters.b, { http: 80 })
      await handle()
      expect(imported(clusters.c)).toMatchObject({ ports: ['http:80', 'debug:91'] })
    },
  )

  it.each(['unauthorized', 'exports', 'unavailable'])(
    '(%s) loses its part where the set drops it and that lasts, and gets it again',
    async (fault) => {
      let now = Date.parse('2026-01-01T00:00:00Z')
      const { clusters, handle } = openThree({ settings: { unreachableCluster: 'drop' }, now: () => now })
      await handle()
      setFault(clusters.b, fault)
      const all = ['a/10.1.0.1', 'b/10.2.0.1']
      for (const [seconds, endpoints, fate] of [
        [0, all, 'stay as they were'],
        [59, all, 'stay as they were'],
        [61, ['a/10.1.0.1'], 'are left out'],
      ] as const) {
        now = Date.parse('2026-01-01T00:00:00Z') + seconds * 1000
        await expect(handle()).rejects.toThrow('failed to bring')
        expect(imported(clusters.c)).toMatchObject({ endpoints })
        expect(conditionsOf(clusters.c)[CONDITION_UNREACHABLE]).toMatch(`: its endpoints ${fate}`)
      }
      const [{ status } = {}] = clusters.c.all<ServiceImport>(IMPORTS)
      expect(status?.clusters).toEqual([{ cluster: 'a' }])
      setFault(clusters.b, undefined)
      await handle()
      expect(imported(clusters.c)).toMatchObject({ endpoints: all })
    },
  )

  /** Hides who a cluster is. */
  const hideIdentity = (cluster: MemoryCluster): void => {
    cluster.before = (call) => {
      if (call === 'get namespaces kube-system') throw new NotFoundError(call, 404, {})
    }
  }

  /** Ways in which a cluster is not read, without an error; each syncs once. */
  const MISSES: Readonly<Record<string, (fleet: Fleet<Id>) => Promise<unknown>>> = {
    'a search by tags does not find it': ({ beside }) =>
      beside([
        { cluster: 'a', id: 'a', role: 'both' },
        { cluster: 'c', id: 'c', role: 'import' },
      ])(),
    async 'its server does not name the API'({ unserved, restart, handle }) {
      unserved.add('b')
      restart()
      await handle()
      unserved.delete('b')
      restart()
    },
    async 'its name leads to another member'({ clusters: { b }, restart, handle }) {
      b.before = () => undefined
      restart()
      await handle()
      hideIdentity(b)
      restart()
    },
  }

  it.each(Object.entries(MISSES))(
    'keeps its part while %s, and loses it after 5 minutes',
    async (_, miss) => {
      let now = Date.parse('2026-01-01T00:00:00Z')
      const fleet = openThree({ isDiscovered: true, now: () => now })
      const { clusters, handle } = fleet
      const all = ['a/10.1.0.1', 'b/10.2.0.1']
      // Both get the same uid.
      for (const cluster of [clusters.a, clusters.b])
        cluster.put(NAMESPACES, { metadata: { name: 'kube-system' } })
      hideIdentity(clusters.b)
      await handle()
      for (const [seconds, isMissed, endpoints] of [
        [0, true, all],
        [299, true, all],
        [301, false, all],
        [400, true, all],
        [699, true, all],
        [701, true, ['a/10.1.0.1']],
        [702, true, ['a/10.1.0.1']],
        [703, false, all],
      ] as const) {
        now = Date.parse('2026-01-01T00:00:00Z') + seconds * 1000
        await (isMissed ? miss(fleet) : handle())
        expect([seconds, imported(clusters.c)]).toMatchObject([seconds, { endpoints }])
        expect(CONDITION_UNREACHABLE in conditionsOf(clusters.c)).toBe(isMissed && seconds < 702)
      }
    },
  )

  it('loses its part at once where it is taken out of a list', async () => {
    const { clusters, handle, beside } = openThree()
    await handle()
    await beside([
      { cluster: 'a', id: 'a', role: 'both' },
      { cluster: 'c', id: 'c', role: 'import' },
    ])()
    expect(imported(clusters.c)).toMatchObject({ endpoints: ['a/10.1.0.1'] })
  })

  type Exporter = 'a' | 'b'
  type Parts = Record<Exporter, Part>
  type Step = (fleet: Fleet<Id>, parts: Parts) => void

  interface Part {
    port: number
    address: string
    isExported: boolean
    fault: string | undefined
    /** Whether it is part of the import. */
    isImported: boolean
    /** Addresses that were imported last. */
    published: readonly string[]
  }

  /** Computes what the import is to be by now, from what can be read and what was imported last. */
  function expected(parts: Parts, before: string[] | undefined): string[] | undefined {
    const readable = (['a', 'b'] as const).filter((each) => parts[each].fault === undefined)
    const live = readable.filter((each) => parts[each].isExported)
    const frozen = (['a', 'b'] as const).filter(
      (each) => parts[each].fault !== undefined && parts[each].isImported,
    )
    const [oldest] = live
    const port = oldest === undefined ? undefined : `http:${parts[oldest].port}`
    for (const each of readable) {
      const part = parts[each]
      part.isImported = live.includes(each)
      part.published = part.isImported && `http:${part.port}` === port ? [`${each}/${part.address}`] : []
    }
    if (live.length + frozen.length === 0) return undefined
    return port === undefined ? before : [port]
  }

  const id = fc.constantFrom<Exporter[]>('a', 'b')
  const steps: readonly fc.Arbitrary<Step>[] = [
    fc.tuple(id, fc.constantFrom(80, 8000)).map(([id, port]) => ({ clusters }, parts) => {
      parts[id].port = port
      setPort(clusters[id], port)
    }),
    fc.tuple(id, fc.integer({ min: 1, max: 9 })).map(([id, last]) => ({ clusters }, parts) => {
      parts[id].address = `10.${id === 'a' ? 1 : 2}.0.${last}`
      clusters[id].put(ENDPOINT_SLICES, sourceSlice(parts[id].address))
    }),
    id.map((id) => ({ clusters }, parts) => {
      parts[id].isExported = false
      clusters[id].remove(EXPORTS, 'web')
    }),
    id.map((id) => ({ clusters }, parts) => {
      parts[id].isExported = true
      createdAt(clusters[id], id === 'a' ? '2026-01-01T00:00:00Z' : '2026-01-02T00:00:00Z')
    }),
    fc
      .tuple(id, fc.constantFrom(undefined, 'network', 'unauthorized', 'unavailable', 'exports'))
      .map(([id, fault]) => (fleet, parts) => {
        parts[id].fault = fault
        setFault(fleet.clusters[id], fault)
      }),
    fc.constant((fleet) => fleet.restart()),
  ]

  /** Handles a message as a relay sends it, which names no versions while a member cannot be watched. */
  async function handle(fleet: Fleet<Id>, { a, b }: Parts): Promise<void> {
    if (a.fault === undefined && b.fault === undefined) await fleet.handle(fleet.versions())
    else await expect(fleet.handle()).rejects.toThrow('failed to bring')
  }

  const partOf = (each: Exporter, address: string): Part => ({
    ...{ port: 80, address, isExported: true, fault: undefined, isImported: true },
    published: [`${each}/${address}`],
  })

  it('has the same import in each order of outages and changes, whatever a process has cached', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(...steps), { maxLength: 12 }), async (history) => {
        const fleet = openThree()
        await fleet.handle()
        const parts = { a: partOf('a', '10.1.0.1'), b: partOf('b', '10.2.0.1') }
        let ports: string[] | undefined = ['http:80']
        for (const step of history) {
          step(fleet, parts)
          await handle(fleet, parts)
          ports = expected(parts, ports)
          const endpoints = [...parts.a.published, ...parts.b.published].sort()
          expect(imported(fleet.clusters.c)).toEqual(ports && { ports, endpoints })
        }
      }),
      { numRuns: 30 },
    )
  })
})
