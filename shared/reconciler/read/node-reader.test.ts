import { describe, expect, it } from 'vitest'
import { makeNode, makeSlice } from '../../../test/support/world/index.ts'
import type { EndpointSlice } from '../../endpointslice/index.ts'
import { NODES } from '../../kubernetes/index.ts'
import { createMemoryCluster, type MemoryCluster } from '../memory-cluster.fixtures.ts'
import { createNodeReader, type NamedNodes, type NodeReader } from './node-reader.ts'

interface Setup {
  readonly cluster: MemoryCluster
  readonly reader: NodeReader
  readonly clock: { now: number }
}

function setUp(nodes = 3): Setup {
  const cluster = createMemoryCluster()
  for (let number = 1; number <= nodes; number++) cluster.put(NODES, makeNode({ name: `node-${number}` }))
  const clock = { now: 1e9 }
  return { cluster, clock, reader: createNodeReader(cluster.client, () => clock.now) }
}

const showing = (nodeName: string, zone?: string): EndpointSlice =>
  makeSlice({ endpoints: [{ addresses: ['10.0.0.1'], nodeName, ...(zone !== undefined && { zone }) }] })

const NAMED = { names: new Set(['node-1']), nodesVersion: '5', slices: [showing('node-1', 'zone-a')] }

/** Reads a second time. Returns the calls that the API server saw, and the zones that were read. */
async function again(
  { cluster, reader, clock }: Setup,
  second: Partial<NamedNodes>,
  { afterMs = 0 }: { readonly afterMs?: number } = {},
): Promise<readonly string[]> {
  await reader.named(NAMED)
  cluster.calls.length = 0
  clock.now += afterMs
  await reader.named({ ...NAMED, ...second })
  return [...cluster.calls]
}

const KEPT: readonly string[] = []
const READ = ['get nodes node-1']

describe('a node that was read', () => {
  it.each<[string, readonly string[], Partial<NamedNodes>, number]>([
    ['is kept while no node has changed', KEPT, {}, 0],
    ['is kept for a message from before that', KEPT, { nodesVersion: '4' }, 0],
    ['is read again for a message that knows of a later change', READ, { nodesVersion: '6' }, 0],
    ['compares versions as numbers', READ, { nodesVersion: '10' }, 0],
    ['is read again for a message that knows nothing of nodes', READ, { nodesVersion: undefined }, 0],
    ['is read again for versions that cannot be compared', READ, { nodesVersion: 'opaque' }, 0],
    ['is read again for a message of another history', READ, { history: 'restored' }, 0],
    ['is read again for a sweep sent after that', READ, { nodesVersion: undefined, sentAgoMs: 500 }, 1_000],
    ['is kept for a sweep sent before that', KEPT, { nodesVersion: undefined, sentAgoMs: 2_000 }, 1_000],
    ['is read again once the clock was set back', READ, { nodesVersion: undefined, sentAgoMs: 2_000 }, -1],
    ['is read again when a slice shows another zone', READ, { slices: [showing('node-1', 'zone-b')] }, 0],
    ['is read again when a slice shows no zone', READ, { slices: [showing('node-1')] }, 0],
    [
      'is kept when a slice shows another zone of another node',
      KEPT,
      { slices: [showing('node-2', 'b')] },
      0,
    ],
    ['is kept for 10 minutes', KEPT, {}, 600_000],
    ['is read again after 10 minutes', READ, {}, 600_001],
    ['is kept for 10 minutes while the slices are read', KEPT, { slices: undefined }, 600_000],
    ['is read again after 10 minutes while the slices are read', READ, { slices: undefined }, 600_001],
    ['is kept for 5 seconds where no slice shows it', KEPT, { slices: [] }, 5_000],
    ['is read again after 5 seconds where no slice shows it', READ, { slices: [] }, 5_001],
  ])('%s', async (_, calls, second, afterMs) => {
    expect(await again(setUp(), second, { afterMs })).toEqual(calls)
  })

  it('is given as it is kept, and as it is once it is read again', async () => {
    const { cluster, reader } = setUp()
    await reader.named(NAMED)
    cluster.put(NODES, makeNode({ name: 'node-1', zone: 'zone-b' }))
    const zoneOf = async (wanted: Partial<NamedNodes>): Promise<string | undefined> =>
      (await reader.named({ ...NAMED, ...wanted }))[0]?.metadata?.labels?.['topology.kubernetes.io/zone']
    expect(await zoneOf({})).toBe('zone-a')
    expect(await zoneOf({ nodesVersion: '6' })).toBe('zone-b')
  })

  it('does not count for a message with a version when none said how new it is', async () => {
    const { cluster, reader } = setUp()
    const { nodesVersion: _, ...unknown } = NAMED
    await reader.named(unknown)
    await reader.named(NAMED)
    expect(cluster.calls).toEqual([...READ, ...READ])
  })

  it('is not kept when it does not exist', async () => {
    const { cluster, reader } = setUp()
    const wanted = { ...NAMED, names: new Set(['node-9']) }
    expect(await reader.named(wanted)).toEqual([])
    cluster.put(NODES, makeNode({ name: 'node-9' }))
    expect(await reader.named(wanted)).toHaveLength(1)
  })

  it.each([1, 257])('is forgotten when a later read does not find it, among %i', async (count) => {
    const { cluster, reader } = setUp(count)
    await reader.named(NAMED)
    cluster.remove(NODES, 'node-1')
    const later = await reader.named({ ...NAMED, names: namesTo(count), nodesVersion: '6' })
    expect(later).toHaveLength(count - 1)
    expect(await reader.named(NAMED)).toEqual([])
  })

  it('makes way for others beyond ten thousand', async () => {
    const { cluster, reader } = setUp(10_001)
    await reader.named(NAMED)
    await reader.named({ ...NAMED, names: namesTo(10_001) })
    cluster.calls.length = 0
    await reader.named(NAMED)
    expect(cluster.calls).toEqual(READ)
  })

  it('is an error when it cannot be read', async () => {
    const { cluster, reader } = setUp()
    cluster.before = () => {
      throw new Error('the connection was cut')
    }
    await expect(reader.named(NAMED)).rejects.toThrow('cut')
  })
})

const namesTo = (count: number): Set<string> =>
  new Set(Array.from({ length: count }, (_, index) => `node-${index + 1}`))

describe('the nodes of one Service', () => {
  it('are read one by one, however many the cluster has', async () => {
    const { cluster, reader } = setUp(500)
    const nodes = await reader.named({ ...NAMED, names: namesTo(256) })
    expect(nodes).toHaveLength(256)
    expect(cluster.calls).not.toContain('list nodes')
  })

  it('are listed, without the rest being kept or given, where they are very many', async () => {
    const { cluster, reader } = setUp(500)
    expect(await reader.named({ ...NAMED, names: namesTo(257) })).toHaveLength(257)
    expect(cluster.calls).toEqual(['list nodes'])
    await reader.named(NAMED)
    await reader.named({ ...NAMED, names: new Set(['node-400']) })
    expect(cluster.calls).toEqual(['list nodes', 'get nodes node-400'])
  })
})

it('asks for metadata alone, except where capacity and conditions are needed', async () => {
  const { cluster, reader } = setUp(257)
  const asked: unknown[] = []
  const { get, list } = cluster.client
  cluster.client.get = (resource, name, options) => {
    asked.push(['get', options?.metadataOnly])
    return get(resource, name, options)
  }
  cluster.client.list = (resource, options) => {
    asked.push(['list', options?.metadataOnly])
    return list(resource, options)
  }
  await reader.named(NAMED)
  await reader.named({ names: namesTo(257) })
  await reader.all()
  expect(asked).toEqual([
    ['get', true],
    ['list', true],
    ['list', false],
  ])
})

it('reads 16 nodes at once at most, over all syncs', async () => {
  const { cluster, reader } = setUp(40)
  let running = 0
  let most = 0
  const get = cluster.client.get
  cluster.client.get = async (...call) => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => setImmediate(resolve))
    running--
    return get(...call)
  }
  const namesOf = (from: number): Set<string> =>
    new Set(Array.from({ length: 20 }, (_, index) => `node-${from + index}`))
  const read = await Promise.all([reader.named({ names: namesOf(1) }), reader.named({ names: namesOf(21) })])
  expect(read.map(({ length }) => length)).toEqual([20, 20])
  expect(most).toBe(16)
})
