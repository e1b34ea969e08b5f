import { describe, expect, it } from 'vitest'
import { permissionsOf, selectionOf } from '../changes/index.ts'
import type { Endpoint, EndpointSlice } from '../endpointslice/index.ts'
import { type ApiObject, ENDPOINT_SLICES, PODS, type Resource, SERVICES } from '../kubernetes/index.ts'
import { parseSettings } from '../settings/index.ts'
import {
  atRest,
  KEY,
  type MemoryCluster,
  type Settings,
  slicesWith,
  webPod,
  webService,
} from './memory-cluster.fixtures.ts'
import {
  type Elsewhere,
  podsAdded,
  podsChanged,
  type Seen,
  type Verdict,
  verify,
  verifyElsewhere,
  versionOf,
} from './verify-seen.ts'

const SETTINGS: Settings = parseSettings({
  mode: 'replace',
  managedBy: 'sliceflow.dev',
  maxEndpointsPerSlice: 2,
})
const NAMESPACE = KEY.namespace

const optionsOf = ({ client }: MemoryCluster) => ({
  client,
  key: KEY,
  managedBy: SETTINGS.managedBy,
  signal: new AbortController().signal,
})

const objectOf = <T extends ApiObject>(
  cluster: MemoryCluster,
  resource: Resource<T>,
  name: string,
): T | undefined => cluster.all(resource).find(({ metadata }) => metadata?.name === name)

/** All that the cluster has of these pods by now. */
const seenOf = (cluster: MemoryCluster, pods: readonly string[], more: Partial<Seen> = {}): Seen => ({
  service: versionOf(objectOf(cluster, SERVICES, 'web')),
  pods: new Map(pods.map((name) => [name, versionOf(objectOf(cluster, PODS, name))])),
  ...more,
})

const versionsOf = (cluster: MemoryCluster, names: readonly string[]): Map<string, string> =>
  new Map(
    cluster
      .all(ENDPOINT_SLICES)
      .filter(({ metadata }) => names.includes(metadata?.name ?? ''))
      .map(({ metadata }) => [metadata?.name ?? '', metadata?.resourceVersion ?? '']),
  )

const touch = (cluster: MemoryCluster, name = ''): void =>
  void cluster.put(ENDPOINT_SLICES, objectOf(cluster, ENDPOINT_SLICES, name) as EndpointSlice)

/** `web-1`, `web-2` in one slice, `web-3` in another, and the first is known. */
async function cluster(): Promise<[MemoryCluster, known: ReadonlyMap<string, string>, other: string]> {
  const made = await atRest(3, SETTINGS)
  const [other = ''] = slicesWith(made, 'web-3')
  return [made, versionsOf(made, slicesWith(made, 'web-1')), other]
}

describe('what was seen is still so', () => {
  it('as long as the Service and the pods have their versions, and be it that they are not there', async () => {
    const [world] = await cluster()
    const seen = seenOf(world, ['web-1', 'web-9'])
    expect(await verify(seen, optionsOf(world))).toEqual({ kind: 'unchanged' })
    expect(world.calls).toEqual(['get services web', 'get pods web-1', 'get pods web-9'])
  })

  const changes: [string, (world: MemoryCluster) => void][] = [
    ['a pod has changed', (world) => world.put(PODS, webPod(1, false))],
    ['a pod is gone', (world) => world.remove(PODS, 'web-1')],
    ['a pod has come', (world) => world.put(PODS, webPod(9))],
    ['the Service has changed', (world) => world.put(SERVICES, webService({ clusterIP: 'None' }))],
    ['the Service is gone', (world) => world.remove(SERVICES, 'web')],
    [
      'a pod was made again under its name',
      (world) => {
        world.remove(PODS, 'web-1')
        world.put(PODS, webPod(1))
      },
    ],
  ]
  it.each(changes)('but not when %s', async (_, change) => {
    const [world] = await cluster()
    const seen = seenOf(world, ['web-1', 'web-9'])
    change(world)
    expect(await verify(seen, optionsOf(world))).toEqual({ kind: 'changed' })
  })

  it('by one list where many pods of few are concerned', async () => {
    const world = await atRest(6, SETTINGS)
    const selection = selectionOf(webService(), 'replace', permissionsOf('prod', parseSettings({})))
    if (selection.kind !== 'managed') throw new Error('the Service has a selector')
    const names = Array.from({ length: 6 }, (_, index) => `web-${index + 1}`)
    const seen = seenOf(world, names, { selected: { selection, count: 6 } })
    expect(await verify(seen, optionsOf(world))).toEqual({ kind: 'unchanged' })
    expect(world.calls).toEqual(['get services web', 'list pods'])
    world.put(PODS, webPod(6, false))
    expect(await verify(seen, optionsOf(world))).toEqual({ kind: 'changed' })
  })

  it('and an error when a read fails', async () => {
    const [world] = await cluster()
    world.before = () => {
      throw new Error('the connection was cut')
    }
    await expect(verify(seenOf(world, ['web-1']), optionsOf(world))).rejects.toThrow('cut')
  })
})

describe('pods that may stand elsewhere', () => {
  async function verdict(
    elsewhere: Partial<Elsewhere>,
    change: (world: MemoryCluster, other: string) => void = () => {},
  ): Promise<[Verdict, MemoryCluster, other: string]> {
    const [world, known, other] = await cluster()
    change(world, other)
    world.calls.length = 0
    const asked = { pods: new Set(['web-3']), known, ...elsewhere }
    return [await verifyElsewhere(asked, optionsOf(world)), world, other]
  }

  it('do where a slice that is not known holds them', async () => {
    const [found, , other] = await verdict({})
    expect(found).toEqual({ kind: 'elsewhere', slices: [other] })
  })

  it('do not where the other slices hold other pods', async () => {
    expect((await verdict({ pods: new Set(['web-9']) }))[0]).toEqual({ kind: 'unchanged' })
  })

  it('are not looked for in slices that the relay has seen without them', async () => {
    const [found, { calls }] = await verdict({ slicesVersion: '999999' })
    expect(found).toEqual({ kind: 'unchanged' })
    expect(calls).toEqual(['list endpointslices'])
  })

  it('are looked for in slices that were written since the relay saw them', async () => {
    const [world, known, other] = await cluster()
    const slicesVersion = versionsOf(world, [other]).get(other)
    const elsewhere = { pods: new Set(['web-3']), known, ...(slicesVersion && { slicesVersion }) }
    expect(await verifyElsewhere(elsewhere, optionsOf(world))).toEqual({ kind: 'unchanged' })
    touch(world, other)
    expect(await verifyElsewhere(elsewhere, optionsOf(world))).toEqual({ kind: 'elsewhere', slices: [other] })
  })

  it('are looked for in a known slice that was written since', async () => {
    const [world, known] = await cluster()
    const [name = ''] = known.keys()
    const elsewhere = { pods: new Set(['web-1']), known, slicesVersion: '1' }
    expect(await verifyElsewhere(elsewhere, optionsOf(world))).toEqual({ kind: 'unchanged' })
    touch(world, name)
    expect(await verifyElsewhere(elsewhere, optionsOf(world))).toEqual({ kind: 'elsewhere', slices: [name] })
  })

  it('cost no call when there are none', async () => {
    const [found, { calls }] = await verdict({ pods: new Set() })
    expect(found).toEqual({ kind: 'unchanged' })
    expect(calls).toEqual([])
  })

  it('are too many to look for when slices of others came while slices were created', async () => {
    const [found] = await verdict({ pods: new Set(), hasCreated: true })
    expect(found).toEqual({ kind: 'contended' })
  })

  it('are too many to look for in more than four slices', async () => {
    const world = await atRest(10, SETTINGS)
    const elsewhere = { pods: new Set(['web-1']), known: new Map<string, string>() }
    expect(await verifyElsewhere(elsewhere, optionsOf(world))).toEqual({ kind: 'contended' })
  })

  it('are asked for before the versions: who took them out elsewhere has seen what is newer', async () => {
    const [world, known] = await cluster()
    const seen = seenOf(world, ['web-3'], { elsewhere: { pods: new Set(['web-3']), known } })
    const [other = ''] = slicesWith(world, 'web-3')
    // Another worker sees that the pod is gone and takes it out of the slice that it knows, as late as can
    // be.
    world.before = (call) => {
      if (call !== 'list endpointslices') return
      world.remove(PODS, 'web-3')
      world.remove(ENDPOINT_SLICES, other)
    }
    expect(await verify(seen, optionsOf(world))).toEqual({ kind: 'changed' })
  })
})

describe('the pods of what is written', () => {
  const nothing = { create: [], update: [], delete: [] }

  it('are those whose endpoints differ, and added those that were not in the slice', async () => {
    const [world] = await cluster()
    const before = world.all(ENDPOINT_SLICES)
    const [first, second] = before as [EndpointSlice, EndpointSlice]
    const [one, two] = first.endpoints as [Endpoint, Endpoint]
    const failed = { ...one, conditions: { ...one.conditions, ready: false } }
    const namesOf = (endpoints: EndpointSlice['endpoints']) => ({
      ...nothing,
      update: [{ ...first, endpoints }],
    })

    expect(podsChanged(before, namesOf([failed, two]), NAMESPACE)).toEqual(new Set(['web-1']))
    expect(podsAdded(before, namesOf([failed, two]), NAMESPACE)).toEqual(new Set())
    expect(podsChanged(before, namesOf([two]), NAMESPACE)).toEqual(new Set(['web-1']))
    const moved = namesOf([one, two, ...(second.endpoints ?? [])])
    expect(podsAdded(before, moved, NAMESPACE)).toEqual(new Set(['web-3']))
    expect(podsChanged(before, { ...nothing, delete: [second] }, NAMESPACE)).toEqual(new Set(['web-3']))
    expect(podsAdded([], { ...nothing, create: [first] }, NAMESPACE)).toEqual(new Set(['web-1', 'web-2']))
  })
})
