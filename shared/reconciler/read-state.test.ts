import { describe, expect, it } from 'vitest'
import { LABEL_MANAGED_BY, LABEL_SERVICE_NAME } from '../endpointslice/index.ts'
import { type ApiClient, ENDPOINT_SLICES, SERVICES } from '../kubernetes/index.ts'
import { createMemoryCluster, KEY, webService } from './memory-cluster.fixtures.ts'
import { readState } from './read-state.ts'

function setUp() {
  const cluster = createMemoryCluster()
  const put = (name: string, managedBy: string, annotations = {}, service = 'web') =>
    cluster.put(ENDPOINT_SLICES, {
      metadata: {
        name,
        namespace: 'shop',
        labels: { [LABEL_MANAGED_BY]: managedBy, [LABEL_SERVICE_NAME]: service },
        annotations,
      },
      addressType: 'IPv4',
      endpoints: [],
    })
  const { signal } = new AbortController()
  const read = (...managers: string[]) =>
    readState({ client: cluster.client, key: KEY, signal, ...(managers.length > 0 && { managers }) })
  const names = async (...managers: string[]) =>
    (await read(...managers)).slices.map(({ metadata }) => metadata?.name)
  return { cluster, put, read, names }
}

describe('the state of a key', () => {
  it('is its slices and then its Service, so that the Service is no older than what their writer saw', async () => {
    const { cluster, put, read } = setUp()
    cluster.put(SERVICES, webService())
    put('ours', 'sliceflow.dev')
    const { slices, service } = await read('sliceflow.dev')
    expect(cluster.calls).toEqual(['list endpointslices', 'get services web'])
    expect([slices.length, service?.metadata?.name]).toEqual([1, 'web'])
  })

  it('has the slices of the managers that are asked for, in one list, or of all', async () => {
    const { put, names } = setUp()
    put('ours', 'sliceflow.dev')
    put('theirs', 'somebody')
    put('other', 'sliceflow.dev', {}, 'other')
    put('third', 'another')
    expect(await names('sliceflow.dev')).toEqual(['ours'])
    expect(await names('sliceflow.dev', 'another')).toEqual(['ours', 'third'])
    expect(await names()).toEqual(['ours', 'theirs', 'third'])
  })

  it('has no notes that somebody else wrote', async () => {
    const { put, read } = setUp()
    put('ours', 'sliceflow.dev', { 'sliceflow.dev/held-since': '2026-01-01T00:00:00Z', other: 'stays' })
    const { slices } = await read('sliceflow.dev')
    expect(slices[0]?.metadata?.annotations).toEqual({ other: 'stays' })
  })

  it('has no Service where there is none, and is none where one of the reads failed', async () => {
    const { cluster, put, read } = setUp()
    put('ours', 'sliceflow.dev')
    expect((await read()).service).toBeUndefined()
    for (const failing of ['list endpointslices', 'get services web']) {
      cluster.before = (call) => {
        if (call === failing) throw new Error('cut')
      }
      await expect(read()).rejects.toThrow('cut')
    }
  })

  it.each([
    ['waits before it lists more', async () => {}],
    ['waits for nothing', undefined],
  ])('%s where it is told so, and ends with its signal', async (_, beforeMore) => {
    const { cluster, put } = setUp()
    put('ours', 'sliceflow.dev')
    const asked: unknown[] = []
    const client: ApiClient = {
      ...cluster.client,
      list: (resource, options) => {
        asked.push(options)
        return cluster.client.list(resource, options)
      },
      get: (resource, ref, options) => {
        asked.push(options)
        return cluster.client.get(resource, ref, options)
      },
    }
    const { signal } = new AbortController()
    await readState({ client, key: KEY, signal, ...(beforeMore && { beforeMore }) })
    expect(asked).toMatchObject([{ namespace: 'shop', signal }, { signal }])
    expect((asked[0] as { beforeMore?: unknown }).beforeMore).toBe(beforeMore)
  })
})
