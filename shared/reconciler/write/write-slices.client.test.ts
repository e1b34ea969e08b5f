import { beforeEach, describe, expect, it } from 'vitest'
import { isSealed } from '../../changes/index.ts'
import type { EndpointSlice, SliceClient } from '../../endpointslice/index.ts'
import { type ApiClient, ENDPOINT_SLICES } from '../../kubernetes/index.ts'
import { withOwnNotes } from '../guards/published/slice-notes.ts'
import { createMemoryCluster, type MemoryCluster } from '../memory-cluster.fixtures.ts'
import { createSealedSliceClient, createSliceClient } from './write-slices.ts'

const { signal } = new AbortController()
const NOTE = 'sliceflow.dev/held-since'
const slice: EndpointSlice = {
  metadata: {
    name: 'web-1',
    namespace: 'shop',
    managedFields: [{ manager: 'kubectl' }],
    annotations: { [NOTE]: '2026-01-01T00:00:00Z' },
  },
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.0.0.1'] }],
  ports: [],
}

let cluster: MemoryCluster
let asked: unknown[]
beforeEach(() => {
  cluster = createMemoryCluster()
  asked = []
})

/** Returns a client that notes what each write asks for. */
function client(): ApiClient {
  const { create, update, delete: remove } = cluster.client
  const noted: Partial<ApiClient> = {
    create: (resource, object, options) => {
      asked.push(options)
      return create(resource, object, options)
    },
    update: (resource, object, options) => {
      asked.push(options)
      return update(resource, object, options)
    },
    delete: (resource, ref, options) => {
      asked.push(options)
      return remove(resource, ref, options)
    },
  }
  return { ...cluster.client, ...noted }
}
const stored = (): EndpointSlice[] => cluster.all(ENDPOINT_SLICES)
const noteOn = (one: EndpointSlice | undefined): string | undefined =>
  one && withOwnNotes(one).metadata?.annotations?.[NOTE]

const createSealing = (...[api, ending]: Parameters<typeof createSliceClient>): SliceClient =>
  createSealedSliceClient(createSliceClient(api, ending), 'us')

describe('slices that are written', () => {
  it.each([
    ['with a seal', createSealing, true],
    ['as they are', createSliceClient, false],
  ])(
    '%s have sealed notes, and come back with the version that they have now',
    async (_, createClient, sealed) => {
      const slices = createClient(client(), signal)
      const created = await slices.create(slice)
      const updated = await slices.update({ ...created, endpoints: [] })
      expect(stored().map(isSealed)).toEqual([sealed])
      expect(noteOn(stored()[0])).toBe('2026-01-01T00:00:00Z')
      for (const written of [created, updated]) expect(written.metadata).not.toHaveProperty('managedFields')
      expect(updated).toMatchObject({ endpoints: [], metadata: stored()[0]?.metadata })
      expect(stored()[0]?.metadata).not.toHaveProperty('managedFields')
      expect(asked).toEqual([
        { metadataOnly: true, signal },
        { metadataOnly: true, signal },
      ])
    },
  )

  it('as they are keep the seal that they have, though it be of something else', async () => {
    const sealed = await createSealing(client(), signal).create(slice)
    await createSliceClient(client(), signal).update({ ...sealed, endpoints: [] })
    expect(stored().map(isSealed)).toEqual([false])
  })
})

describe('slices that are deleted', () => {
  it('go in one request, as they were read', async () => {
    const slices = createSealing(client(), signal)
    const made = await slices.create(slice)
    cluster.calls.length = 0
    asked = []
    await slices.delete(made)
    expect([cluster.calls, stored()]).toEqual([['delete endpointslices web-1'], []])
    const { uid, resourceVersion } = made.metadata ?? {}
    expect(asked).toMatchObject([{ signal, preconditions: { uid, resourceVersion } }])
  })

  it.each([
    ['with a seal', createSealing],
    ['as they are', createSliceClient],
  ])('%s stay where somebody has written them meanwhile', async (_, createClient) => {
    const slices = createClient(client(), signal)
    const made = await slices.create(slice)
    cluster.put(ENDPOINT_SLICES, made)
    await expect(slices.delete(made)).rejects.toMatchObject({ code: 409 })
    expect(stored()[0]?.endpoints).toHaveLength(1)
  })
})
