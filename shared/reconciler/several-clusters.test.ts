import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makePod, makePodStatus } from '../../test/support/world/index.ts'
import type { EndpointSlice, Pod } from '../endpointslice/index.ts'
import { ConnectionError, EVENTS, ForbiddenError, PODS, SERVICES } from '../kubernetes/index.ts'
import { type MemoryCluster, type Settings, webPod } from './memory-cluster.fixtures.ts'
import { LABEL_ENDPOINTS_CLUSTER } from './read/endpoint-parts.ts'
import { createNodeReader } from './read/node-reader.ts'
import { type ReadableCluster, UnknownClusterError } from './read/readable-cluster.ts'
import {
  addresses,
  annotated,
  attemptAt,
  CUSTOM,
  NOON,
  notesOn,
  reasons,
  slices,
  withNode,
  writes,
} from './sync/sync-service.fixtures.ts'
import type { Purpose } from './sync-result.ts'

const refused = new ConnectionError('failed to list Pods', 'ECONNREFUSED')

/** `blue` is the Service's own cluster. */
const NAMES = ['blue', 'green', 'red'] as const
type Name = (typeof NAMES)[number]
type Clusters = Readonly<Record<Name, MemoryCluster>>

interface Fleet extends Clusters {
  sync(purpose?: Purpose, now?: number, settings?: Settings): Promise<unknown>
  /** Names the clusters in the annotation of the Service. */
  take(clusters: string): void
  cutOff(name: Name, error?: Error): void
  comeBack(name: Name): void
}

function fleetOf(settings: Settings = CUSTOM): Fleet {
  const clusters: Clusters = { blue: withNode(), green: withNode(), red: withNode() }
  const isKnown = (name: string): name is Name => name in clusters
  const clusterOf = (name: string): ReadableCluster => {
    if (!isKnown(name)) throw new UnknownClusterError(`cluster ${name} is not known`)
    const { client } = clusters[name]
    return { client, nodes: createNodeReader(client) }
  }
  return {
    ...clusters,
    sync: (purpose = 'write', now = NOON, others = settings) =>
      attemptAt(clusters.blue, { settings: others, now, clusterOf }).fullSync(purpose),
    take(names) {
      clusters.blue.put(
        SERVICES,
        annotated({ 'sliceflow.dev/selector': 'app=web', 'sliceflow.dev/cluster': names }),
      )
    },
    cutOff(name, error = refused) {
      clusters[name].before = () => {
        throw error
      }
    },
    comeBack(name) {
      clusters[name].before = () => {}
    },
  }
}

const sliceWrites = (cluster: MemoryCluster): string[] =>
  writes(cluster).filter((call) => !call.includes(' events '))

const labelOf = ({ metadata }: EndpointSlice): string | undefined =>
  metadata?.labels?.[LABEL_ENDPOINTS_CLUSTER]

/** Lists the addresses of the slices by the cluster that they tell. */
const byCluster = (cluster: MemoryCluster): Record<string, string[]> => {
  const found: Record<string, string[]> = {}
  for (const slice of slices(cluster)) {
    const label = labelOf(slice) ?? 'none'
    const own = (slice.endpoints ?? []).flatMap((endpoint) => endpoint.addresses)
    found[label] = [...(found[label] ?? []), ...own].sort()
  }
  return found
}

/** Returns a reconciled fleet whose Service has a pod in each of two clusters beside its own one. */
async function atRestOf(settings: Settings = CUSTOM): Promise<Fleet> {
  const fleet = fleetOf(settings)
  fleet.blue.put(PODS, webPod(1))
  fleet.green.put(PODS, webPod(2))
  fleet.red.put(PODS, webPod(3))
  fleet.take('blue,green,red')
  await fleet.sync()
  fleet.blue.calls.length = 0
  return fleet
}

describe('a Service with pods of several clusters', () => {
  it('has the pods of all, each cluster in slices of its own, and a second sync writes nothing', async () => {
    const fleet = await atRestOf()
    expect(byCluster(fleet.blue)).toEqual({ blue: ['10.0.0.1'], green: ['10.0.0.2'], red: ['10.0.0.3'] })
    await fleet.sync()
    expect(sliceWrites(fleet.blue)).toEqual([])
  })

  it('refers to pods and nodes of its own cluster alone', async () => {
    const fleet = await atRestOf()
    const known = slices(fleet.blue).map((slice) => [
      labelOf(slice),
      slice.endpoints?.map(({ targetRef, nodeName }) => [targetRef?.name, nodeName]),
    ])
    expect(Object.fromEntries(known)).toEqual({
      blue: [['web-1', 'node-1']],
      green: [[undefined, undefined]],
      red: [[undefined, undefined]],
    })
  })

  it('has an address once that two of them give: of the cluster that is named first', async () => {
    const fleet = await atRestOf()
    for (const each of [fleet.green, fleet.red]) each.put(PODS, webPod(7))
    await fleet.sync()
    expect(byCluster(fleet.blue)).toEqual({
      blue: ['10.0.0.1'],
      green: ['10.0.0.2', '10.0.0.7'],
      red: ['10.0.0.3'],
    })
    expect(fleet.blue.all(EVENTS)).toMatchObject([
      {
        reason: 'RefusedAddress',
        message: expect.stringContaining('10.0.0.7 is one of cluster green, too, which gives it'),
      },
    ])
  })

  it('is not kept from an address by a pod of the other cluster that has ended', async () => {
    const fleet = await atRestOf()
    const ended = webPod(3)
    fleet.green.put(PODS, { ...ended, status: { ...ended.status, phase: 'Failed' } })
    await fleet.sync()
    expect(byCluster(fleet.blue)).toMatchObject({ green: ['10.0.0.2'], red: ['10.0.0.3'] })
  })

  it('keeps its endpoints while it goes from one cluster to several, and back', async () => {
    const fleet = await atRestOf()
    fleet.take('green')
    await fleet.sync()
    expect(byCluster(fleet.blue)).toEqual({ none: ['10.0.0.2'] })
    fleet.take('green,blue')
    await fleet.sync()
    expect(byCluster(fleet.blue)).toEqual({ blue: ['10.0.0.1'], green: ['10.0.0.2'] })
    fleet.take('blue,red')
    await fleet.sync()
    expect(byCluster(fleet.blue)).toEqual({ blue: ['10.0.0.1'], red: ['10.0.0.3'] })
  })

  it('is labelled with a hash for a name that no label can have', async () => {
    const arn = 'arn:aws:eks:eu-1:1:cluster/green'
    const fleet = fleetOf()
    const blue = fleet.blue
    blue.put(
      SERVICES,
      annotated({ 'sliceflow.dev/selector': 'app=web', 'sliceflow.dev/cluster': `${arn},red` }),
    )
    fleet.green.put(PODS, webPod(2))
    const clusterOf = (name: string): ReadableCluster => {
      const { client } = name === arn ? fleet.green : fleet.red
      return { client, nodes: createNodeReader(client) }
    }
    const home = { client: blue.client, nodes: createNodeReader(blue.client) }
    const attempt = attemptAt(blue, {
      settings: CUSTOM,
      clusterOf: (name) => (name === 'blue' ? home : clusterOf(name)),
    })
    await attempt.fullSync('write')
    expect(Object.keys(byCluster(blue)).sort()).toEqual([
      expect.stringMatching(/^cluster-[\da-f]{16}$/),
      'red',
    ])
  })
})

describe('one of several clusters that cannot be reached', () => {
  /** Cuts one cluster off. Whatever happens to it, the others go on. */
  async function cutOffGreen(settings: Partial<Settings>): Promise<Fleet> {
    const fleet = await atRestOf({ ...CUSTOM, ...settings })
    fleet.cutOff('green')
    fleet.blue.remove(PODS, 'web-1')
    fleet.red.put(PODS, webPod(4))
    await expect(fleet.sync()).rejects.toBe(refused)
    return fleet
  }

  it.each([
    ['keep', ['10.0.0.2']],
    ['expire', ['10.0.0.2']],
    ['drop', []],
  ] as const)('leaves the others up to date: %s', async (unreachableCluster, green) => {
    const fleet = await cutOffGreen({ unreachableCluster })
    expect(byCluster(fleet.blue)).toEqual({ blue: [], green, red: ['10.0.0.3', '10.0.0.4'] })
    expect(reasons(fleet.blue)).toEqual(['ClusterUnreachable'])
    fleet.blue.calls.length = 0
    await expect(fleet.sync()).rejects.toBe(refused)
    expect(sliceWrites(fleet.blue)).toEqual([])
    fleet.comeBack('green')
    await fleet.sync()
    expect(byCluster(fleet.blue)).toMatchObject({ green: ['10.0.0.2'] })
    expect(notesOn(fleet.blue)).not.toContain('sliceflow.dev/unverified-since')
  })

  it('loses its endpoints alone, once they are expired', async () => {
    const policy = { unreachableCluster: 'expire', unreachableClusterExpiry: 600 } as const
    const fleet = await cutOffGreen(policy)
    expect(slices(fleet.blue).filter((slice) => labelOf(slice) === 'green')).toMatchObject([
      { metadata: { annotations: { 'sliceflow.dev/unverified-since': '2026-01-01T12:00:00.000Z' } } },
    ])
    await expect(fleet.sync('write', NOON + 599_000)).rejects.toBe(refused)
    expect(byCluster(fleet.blue)).toMatchObject({ green: ['10.0.0.2'] })
    await expect(fleet.sync('write', NOON + 600_000)).rejects.toBe(refused)
    expect(byCluster(fleet.blue)).toEqual({ blue: [], green: [], red: ['10.0.0.3', '10.0.0.4'] })
  })

  it('keeps an address that another one gives meanwhile', async () => {
    const fleet = await atRestOf()
    fleet.cutOff('green')
    fleet.blue.put(PODS, webPod(2))
    await expect(fleet.sync()).rejects.toBe(refused)
    expect(byCluster(fleet.blue)).toMatchObject({ blue: ['10.0.0.1'], green: ['10.0.0.2'] })
  })

  it('fails the key with what may end by itself, where another one refuses for good', async () => {
    const fleet = await atRestOf()
    fleet.cutOff('green', new ForbiddenError('pods is forbidden', 403, {}))
    fleet.cutOff('red')
    await expect(fleet.sync()).rejects.toBe(refused)
  })
})

interface World {
  /** Last parts of the addresses of the pods of each cluster; networks overlap. */
  readonly pods: Readonly<Record<Name, readonly number[]>>
  readonly named: readonly Name[]
  readonly down: readonly Exclude<Name, 'blue'>[]
}

const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 4 })
const worlds: fc.Arbitrary<World> = fc.record({
  pods: fc.record({ blue: numbers, green: numbers, red: numbers }),
  named: fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1 }),
  down: fc.uniqueArray(fc.constantFrom('green' as const, 'red' as const)),
})

const podAt = (number: number): Pod =>
  makePod({ namespace: 'shop', name: `web-${number}`, status: makePodStatus([`10.0.0.${number}`]) })

async function play(fleet: Fleet, { pods, named, down }: World): Promise<void> {
  for (const name of NAMES) {
    fleet.comeBack(name)
    for (const { metadata } of fleet[name].all(PODS)) fleet[name].remove(PODS, metadata?.name ?? '')
    for (const number of pods[name]) fleet[name].put(PODS, podAt(number))
  }
  fleet.take(named.join(','))
  for (const name of down) fleet.cutOff(name)
}

const syncAnyway = (fleet: Fleet): Promise<unknown> =>
  fleet.sync().catch((error: unknown) => expect(error).toBe(refused))

function union({ pods, named, down }: World): string[] {
  const reached = named.filter((name) => !down.some((each) => each === name))
  return [...new Set(reached.flatMap((name) => pods[name].map((number) => `10.0.0.${number}`)))].sort()
}

it('publishes the union of those that are reached, each address once, whatever came before', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(worlds, { minLength: 1, maxLength: 4 }), async (history) => {
      const fleet = fleetOf({ ...CUSTOM, unreachableCluster: 'drop', maxEndpointsPerSlice: 2 })
      for (const world of history) {
        await play(fleet, world)
        // What is dropped gives its addresses to others in the next sync.
        for (let sync = 0; sync < 2; sync++) await syncAnyway(fleet)
        fleet.blue.calls.length = 0
        await syncAnyway(fleet)
        expect(sliceWrites(fleet.blue)).toEqual([])
        expect(addresses(fleet.blue).sort()).toEqual(union(world))
      }
    }),
    { numRuns: 100 },
  )
})
