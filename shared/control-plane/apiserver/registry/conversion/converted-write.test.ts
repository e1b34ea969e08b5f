import { expect, it } from 'vitest'
import { modified } from '../../../apimachinery/errors/factories.ts'
import type { KubeObject } from '../../../apimachinery/objects.ts'
import { MemoryBackend } from '../../storage/backend.ts'
import { ObjectStore } from '../../storage/object-store.ts'
import type { Codec } from '../definition/codec.ts'
import type { Endpoint, ResourceDefinition, WriteEndpoint } from '../definition/resource-definition.ts'
import { endpointOf } from '../registry.ts'
import { writeConverted } from './converted-write.ts'

const RESOURCE = 'sites.example.com'
const table = { columns: [], cells: () => [] }

/** Converts by naming the version alone, each time after `gate` has opened. */
function scene(gate: () => Promise<void> = async () => undefined): {
  endpoint: Endpoint
  store: ObjectStore
} {
  const store = new ObjectStore(new MemoryBackend(), { changes: 100 })
  const as = (object: KubeObject, apiVersion: string): KubeObject => ({ ...object, apiVersion })
  const codec: Codec = {
    decode: (value) => ({ metadata: {}, ...value }),
    encode: (object) => object,
    unknownFields: () => [],
    fromStorage: (object) => object,
    toStorage: (object) => object,
    external: {
      fromStorage: async (objects) => {
        await gate()
        return objects.map((object) => as(object, 'v2'))
      },
      toStorage: async (object) => {
        await gate()
        return as(object, 'v1')
      },
      convert: async (object, apiVersion) => as(object, apiVersion),
    },
  }
  const definition: ResourceDefinition = {
    group: 'example.com',
    version: 'v2',
    kind: 'Site',
    plural: 'sites',
    singular: 'site',
    namespaced: false,
    table,
    codec,
  }
  const objects = { get: () => undefined, list: () => [] }
  return { endpoint: endpointOf(definition, store, objects), store }
}

const site = (count: number): KubeObject => ({ apiVersion: 'v1', metadata: { name: 'a' }, count })
const increment = async ({ store, resource }: WriteEndpoint): Promise<{ object: KubeObject } | undefined> => {
  const current = store.get(resource, 'a')
  if (!current) throw modified({ group: '', plural: 'sites' }, 'a')
  return { object: store.put(resource, 'a', { ...current, count: Number(current.count) + 1 }) }
}

it('shows the writer an object converted, stores it in its own version and answers it converted', async () => {
  const { endpoint, store } = scene()
  store.put(RESOURCE, 'a', site(1))
  const seen: unknown[] = []
  const target = { endpoint, key: 'a', verb: 'update', dryRun: false } as const
  const result = await writeConverted(target, async (at) => {
    seen.push(at.store.get(RESOURCE, 'a')?.apiVersion)
    return await increment(at)
  })
  expect(seen).toEqual(['v2'])
  expect(store.get(RESOURCE, 'a')).toMatchObject({ apiVersion: 'v1', count: 2 })
  expect(result?.object).toMatchObject({ apiVersion: 'v2', count: 2 })
  expect(result?.object.metadata.resourceVersion).toBe(store.get(RESOURCE, 'a')?.metadata.resourceVersion)
})

it('loses no write, however the conversions of several overlap', async () => {
  let turn = 0
  const { endpoint, store } = scene(async () => {
    // Some conversions take longer than others.
    for (let wait = turn++ % 5; wait > 0; wait--) await new Promise(setImmediate)
  })
  store.put(RESOURCE, 'a', site(0))
  const target = { endpoint, key: 'a', verb: 'update', dryRun: false } as const
  const write = async (): Promise<void> => {
    while ((await writeConverted(target, increment)) === undefined);
  }
  await Promise.all(Array.from({ length: 20 }, write))
  expect(store.get(RESOURCE, 'a')?.count).toBe(20)
})

it('stores nothing for a dry run, nor where the writer gives up', async () => {
  const { endpoint, store } = scene()
  const before = store.put(RESOURCE, 'a', site(1))
  const dry = await writeConverted({ endpoint, key: 'a', verb: 'update', dryRun: true }, async (at) => ({
    object: { ...site(5), apiVersion: at.definition.version },
  }))
  expect(dry?.object).toMatchObject({ apiVersion: 'v2', count: 5 })
  const target = { endpoint, key: 'a', verb: 'update', dryRun: false } as const
  expect(await writeConverted(target, async () => undefined)).toBeUndefined()
  expect(store.get(RESOURCE, 'a')).toBe(before)
})

it('begins a writer again who needs an object in another version', async () => {
  const { endpoint, store } = scene()
  store.put(RESOURCE, 'a', site(1))
  let runs = 0
  const target = { endpoint, key: 'a', verb: 'update', dryRun: false } as const
  const result = await writeConverted(target, async (at) => {
    runs++
    const versions = ['v1', 'v3'].map((version) => at.convert?.(site(1), version).apiVersion ?? '')
    return { object: { ...site(1), versions } }
  })
  expect(result?.object.versions).toEqual(['v1', 'v3'])
  expect(runs).toBe(2)
})

it('reports a conversion that fails, and stores nothing', async () => {
  const { endpoint, store } = scene(async () => {
    throw new Error('no way')
  })
  const before = store.put(RESOURCE, 'a', site(1))
  const target = { endpoint, key: 'a', verb: 'update', dryRun: false } as const
  await expect(writeConverted(target, increment)).rejects.toThrow('no way')
  expect(store.get(RESOURCE, 'a')).toBe(before)
})
