import { describe, expect, it } from 'vitest'
import { permissionsOf, selectionOf } from '../changes/index.ts'
import type { EndpointSlice } from '../endpointslice/index.ts'
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
import { OwnerReader } from './read/read-owner.ts'
import { type SyncInputs, verify, versionOf } from './verify-after-write.ts'

const SETTINGS: Settings = parseSettings({
  mode: 'replace',
  managedBy: 'sliceflow.dev',
  maxEndpointsPerSlice: 2,
})
const NAMESPACE = KEY.namespace

const optionsOf = ({ client }: MemoryCluster) => ({
  client,
  owners: new OwnerReader(),
  key: KEY,
  managedBy: SETTINGS.managedBy,
  signal: new AbortController().signal,
})

const objectOf = <T extends ApiObject>(
  cluster: MemoryCluster,
  resource: Resource<T>,
  name: string,
): T | undefined => cluster.all(resource).find(({ metadata }) => metadata?.name === name)

/** Returns what the cluster has of these pods now. */
const inputsOf = (
  cluster: MemoryCluster,
  pods: readonly string[],
  more: Partial<SyncInputs> = {},
): SyncInputs => ({
  service: versionOf(objectOf(cluster, SERVICES, 'web')),
  pods: new Map(pods.map((name) => [name, versionOf(objectOf(cluster, PODS, name))])),
  ...more,
})

/** Selects the Service's pods, this many of them. */
function selectedOf(count: number): Required<SyncInputs>['selected'] {
  const selection = selectionOf(webService(), 'replace', permissionsOf('prod', parseSettings({})))
  if (selection.kind !== 'managed') throw new Error('the Service has a selector')
  return { selection, count }
}

const versionsOf = (cluster: MemoryCluster, names: readonly string[]): Map<string, string> =>
  new Map(
    cluster
      .all(ENDPOINT_SLICES)
      .filter(({ metadata }) => names.includes(metadata?.name ?? ''))
      .map(({ metadata }) => [metadata?.name ?? '', metadata?.resourceVersion ?? '']),
  )

const touch = (cluster: MemoryCluster, name = ''): void =>
  void cluster.put(ENDPOINT_SLICES, objectOf(cluster, ENDPOINT_SLICES, name) as EndpointSlice)

/** Makes a cluster with `web-1` and `web-2` in one slice and `web-3` in another. The first slice is known. */
async function cluster(): Promise<[MemoryCluster, known: ReadonlyMap<string, string>, other: string]> {
  const made = await atRest(3, SETTINGS)
  const [other = ''] = slicesWith(made, 'web-3')
  return [made, versionsOf(made, slicesWith(made, 'web-1')), other]
}

describe('what was seen is still so', () => {
  it('as long as the Service and the pods have their versions, and be it that they are not there', async () => {
    const [world] = await cluster()
    const inputs = inputsOf(world, ['web-1', 'web-9'])
    expect(await verify(inputs, optionsOf(world))).toBe(true)
    expect(world.calls).toEqual(['get services web', 'get pods web-1', 'get pods web-9'])
  })

  const changes: [string, (world: MemoryCluster) => void][] = [
    ['a pod has changed', (world) => world.put(PODS, webPod(1, false))],
    ['a pod is gone', (world) => world.remove(PODS, 'web-1')],
    ['a pod has come', (world) => world.put(PODS, webPod(9))],
    ['the Service has changed', (world) => world.put(SERVICES, webService({ clusterIP: 'None' }))],
    ['the Service is gone', (world) => world.remove(SERVICES, 'web')],
    [
      'a pod was recreated under its name',
      (world) => {
        world.remove(PODS, 'web-1')
        world.put(PODS, webPod(1))
      },
    ],
  ]
  it.each(changes)('but not when %s', async (_, change) => {
    const [world] = await cluster()
    const inputs = inputsOf(world, ['web-1', 'web-9'])
    change(world)
    expect(await verify(inputs, optionsOf(world))).toBe(false)
  })

  it.each([
    ['single reads', 4, 4],
    ['one list', 5, 19],
    ['single reads', 5, 20],
    ['one list', 6, 20],
  ])('by %s where %i pods of %i are concerned', async (how, concerned, count) => {
    const world = await atRest(6, SETTINGS)
    const names = Array.from({ length: concerned }, (_, index) => `web-${index + 1}`)
    const inputs = inputsOf(world, names, { selected: selectedOf(count) })
    expect(await verify(inputs, optionsOf(world))).toBe(true)
    const reads = how === 'one list' ? ['list pods'] : names.map((name) => `get pods ${name}`)
    expect(world.calls).toEqual(['get services web', ...reads])
    world.put(PODS, webPod(concerned, false))
    expect(await verify(inputs, optionsOf(world))).toBe(false)
  })

  it('by metadata alone, and as long as the sync may take', async () => {
    const [world, known] = await cluster()
    const asked: (readonly [string, boolean | undefined])[] = []
    const { get, list } = world.client
    const options = optionsOf(world)
    world.client.get = (resource, name, given) => {
      expect(given?.signal).toBe(options.signal)
      asked.push([`get ${resource.plural}`, given?.metadataOnly])
      return get(resource, name, given)
    }
    world.client.list = (resource, given) => {
      expect(given).toMatchObject({ namespace: NAMESPACE })
      expect(given?.signal).toBe(options.signal)
      asked.push([`list ${resource.plural}`, given?.metadataOnly])
      return list(resource, given)
    }
    const slices = new Map([...known, ...versionsOf(world, slicesWith(world, 'web-3'))])
    const few = inputsOf(world, ['web-1'], { slices })
    const many = inputsOf(world, ['web-1', 'web-2', 'web-3', 'web-4', 'web-5'], { selected: selectedOf(3) })
    expect(await verify(few, options)).toBe(true)
    expect(await verify(many, options)).toBe(true)
    expect(asked).toEqual([
      ['list endpointslices', true],
      ['get services', true],
      ['get pods', true],
      ['get services', true],
      ['list pods', true],
    ])
  })

  it('and an error when a read fails', async () => {
    const [world] = await cluster()
    world.before = () => {
      throw new Error('the connection was cut')
    }
    await expect(verify(inputsOf(world, ['web-1']), optionsOf(world))).rejects.toThrow('cut')
  })
})

describe('slices of others, where endpoints were added or slices created', () => {
  it('are looked for nowhere else', async () => {
    const [world] = await cluster()
    expect(await verify(inputsOf(world, []), optionsOf(world))).toBe(true)
    expect(world.calls).toEqual(['get services web'])
  })

  it('may hold the same pods', async () => {
    const [world, slices, other] = await cluster()
    const alone = inputsOf(world, ['web-3'], { slices: versionsOf(world, [...slices.keys(), other]) })
    expect(await verify(alone, optionsOf(world))).toBe(true)
    expect(await verify(inputsOf(world, ['web-3'], { slices }), optionsOf(world))).toBe(false)
    touch(world, other)
    expect(await verify(alone, optionsOf(world))).toBe(false)
  })

  it('are asked for before the versions: who took a pod out elsewhere has seen what is newer', async () => {
    const [world, slices, other] = await cluster()
    const inputs = inputsOf(world, ['web-3'], { slices })
    const newest = Math.max(...slices.values().map(Number))
    // Another worker sees that the pod is gone and takes it out of the slice that it knows, as late as can
    // be.
    world.before = (call) => {
      if (!call.startsWith('list endpointslices')) return
      world.remove(PODS, 'web-3')
      world.remove(ENDPOINT_SLICES, other)
    }
    expect(await verify(inputs, optionsOf(world))).toBe(false)
    expect(world.calls).toEqual([
      `list endpointslices not older than ${newest}`,
      'get services web',
      'get pods web-3',
    ])
  })
})
