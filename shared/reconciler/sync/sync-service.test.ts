import { describe, expect, it } from 'vitest'
import type { EndpointSlice } from '../../endpointslice/index.ts'
import { ENDPOINT_SLICES, PODS, SERVICES } from '../../kubernetes/index.ts'
import {
  atRest,
  createMemoryCluster,
  type MemoryCluster,
  type Settings,
  webPod,
  webService,
} from '../memory-cluster.fixtures.ts'
import { createNodeReader } from '../read/node-reader.ts'
import { UnknownClusterError } from '../read/readable-cluster.ts'
import type { Purpose } from '../sync-result.ts'
import {
  addresses,
  annotated,
  attemptAt,
  CUSTOM,
  OF_GREEN,
  REPLACE,
  reasons,
  slices,
  withNode,
  writes,
} from './sync-service.fixtures.ts'

describe('a sync that is not to write', () => {
  const cases: Readonly<Record<string, { settings: Settings; change: (cluster: MemoryCluster) => void }>> = {
    'a pod has failed': { settings: REPLACE, change: (cluster) => cluster.put(PODS, webPod(1, false)) },
    'the Service is gone': { settings: REPLACE, change: (cluster) => cluster.remove(SERVICES, 'web') },
    'the slices are of the other mode': { settings: CUSTOM, change: () => {} },
    'a plan would be held': {
      settings: { ...REPLACE, maximumRemoval: 0, maximumRemovalCount: 0 },
      change: (cluster) => cluster.remove(PODS, 'web-1'),
    },
  }
  it.each(
    Object.entries(cases).flatMap(([what, given]) =>
      (['audit', 'compare'] as const).map((purpose) => [what, purpose, given] as const),
    ),
  )('only tells where %s: %s', async (_what, purpose, { settings, change }) => {
    const cluster = await atRest(3, REPLACE)
    change(cluster)
    const [slice] = slices(cluster)
    const result = await attemptAt(cluster, { settings }).fullSync(purpose)
    expect(result.outdated).toEqual(new Map([[slice?.metadata?.name, slice?.metadata?.resourceVersion]]))
    expect(result).toMatchObject({ created: [], updated: [], deleted: [] })
    expect(writes(cluster)).toEqual([])
  })

  it.each<Purpose>(['audit', 'compare'])('has nothing to tell where all is right: %s', async (purpose) => {
    const cluster = await atRest(3, REPLACE)
    expect(await attemptAt(cluster, { settings: REPLACE }).fullSync(purpose)).not.toHaveProperty('outdated')
    expect(writes(cluster)).toEqual([])
  })
})

describe('a slice whose name somebody else has', () => {
  it('gets another name in the next attempt, and that of theirs stays as it is', async () => {
    const first = await atRest(1, REPLACE)
    const [name = ''] = slices(first).map(({ metadata }) => metadata?.name)
    // The Service has the same uid here, and its slices the same names.
    const cluster = withNode()
    cluster.put(SERVICES, webService())
    cluster.put(PODS, webPod(1))
    cluster.put(ENDPOINT_SLICES, {
      metadata: { name, namespace: 'shop' },
      addressType: 'IPv4',
      endpoints: [],
    })
    const [theirs] = slices(cluster)
    const attempt = attemptAt(cluster, { settings: REPLACE })

    const refused = await attempt.fullSync('write')
    expect(refused.conflict?.operation).toBe('create')
    expect(refused).not.toHaveProperty('seen')
    expect(await attempt.fullSync('write')).toMatchObject({ created: [{}] })

    expect(slices(cluster)).toHaveLength(2)
    expect(slices(cluster)).toContainEqual(theirs)
  })
})

it('a slice that another worker made first, and that went again, has its name again', async () => {
  const cluster = withNode()
  cluster.put(SERVICES, webService())
  cluster.put(PODS, webPod(1))
  const attempt = attemptAt(cluster, { settings: REPLACE })
  const made: EndpointSlice[] = []
  cluster.before = (call) => {
    if (!call.startsWith('create endpointslices') || made.length > 0) return
    const labels = {
      'kubernetes.io/service-name': 'web',
      'endpointslice.kubernetes.io/managed-by': 'sliceflow.dev',
    }
    const name = call.split(' ').at(-1) ?? ''
    made.push(
      cluster.put(ENDPOINT_SLICES, {
        metadata: { name, namespace: 'shop', labels },
        addressType: 'IPv4',
        endpoints: [],
      }),
    )
  }
  expect((await attempt.fullSync('write')).conflict?.operation).toBe('create')
  await attempt.fullSync('write')
  const [name] = made.map(({ metadata }) => metadata?.name)
  for (const { metadata } of slices(cluster)) cluster.remove(ENDPOINT_SLICES, metadata?.name ?? '')

  expect(await attempt.fullSync('write')).toMatchObject({ created: [{ metadata: { name } }] })
})

describe('a Service that cannot be understood', () => {
  const unknown = (name: string): never => {
    throw new UnknownClusterError(`cluster ${name} is not known`)
  }

  it.each([
    ['InvalidSelector', annotated({ 'sliceflow.dev/selector': 'app in' })],
    ['InvalidAnnotation', annotated({ 'sliceflow.dev/addresses': 'ten' })],
    ['InvalidAnnotation', annotated({ 'sliceflow.dev/selecter': 'app=web' })],
    ['InvalidAnnotation', OF_GREEN],
    ['RefusedAnnotation', annotated({ 'sliceflow.dev/addresses': '192.0.2.1' })],
  ])('keeps its slices and gets one Event, however often it is synced: %s', async (reason, service) => {
    const good = annotated({ 'sliceflow.dev/selector': 'app=web' })
    const cluster = await atRest(3, CUSTOM, good)
    cluster.put(SERVICES, service)
    cluster.calls.length = 0
    const { client } = cluster
    const home = { client, nodes: createNodeReader(client) }
    const clusterOf = (name: string) => (name === 'blue' ? home : unknown(name))
    for (let round = 0; round < 2; round++)
      expect(await attemptAt(cluster, { settings: CUSTOM, clusterOf }).fullSync('write')).toEqual({
        created: [],
        updated: [],
        deleted: [],
        failures: [],
      })
    expect(addresses(cluster)).toHaveLength(3)
    expect(reasons(cluster)).toEqual([reason])
    expect(writes(cluster).every((call) => call.startsWith('create events'))).toBe(true)
  })
})

describe('what a sync has seen', () => {
  it('is, of addresses that the Service tells, the Service alone', async () => {
    const cluster = createMemoryCluster()
    cluster.put(SERVICES, annotated({ 'sliceflow.dev/addresses': '10.0.0.9' }))
    const attempt = attemptAt(cluster, { settings: CUSTOM })
    const { inputs } = await attempt.fullSync('write')
    expect(addresses(cluster)).toEqual(['10.0.0.9'])
    expect([inputs?.pods.size, inputs?.selected]).toEqual([0, undefined])
    cluster.calls.length = 0
    expect(inputs && (await attempt.verify(inputs))).toBe(true)
    cluster.put(SERVICES, annotated({ 'sliceflow.dev/addresses': '10.0.0.8' }))
    expect(inputs && (await attempt.verify(inputs))).toBe(false)
    expect(cluster.calls).not.toContain('list pods')
  })

  it('cannot be verified of pods of another namespace, be it of the same cluster', async () => {
    const cluster = withNode()
    cluster.put(
      SERVICES,
      annotated({
        'sliceflow.dev/selector': 'app=web',
        'sliceflow.dev/cluster': 'blue',
        'sliceflow.dev/namespace': 'depot',
      }),
    )
    cluster.put(PODS, webPod(1))
    const result = await attemptAt(cluster, { settings: CUSTOM }).fullSync('write')
    expect(result.created).toHaveLength(1)
    expect(result.inputs).toBeUndefined()
  })
})

it.each([
  ['keep', 1],
  ['auto', 1],
  ['delete', 0],
] as const)('slices of a Service that lost its selector: %s', async (leftovers, left) => {
  const cluster = await atRest(3, REPLACE)
  const { selector: _, ...spec } = webService().spec ?? {}
  cluster.put(SERVICES, { ...webService(), spec })
  await attemptAt(cluster, { settings: { ...REPLACE, leftovers } }).fullSync('write')
  expect(slices(cluster)).toHaveLength(left)
})
