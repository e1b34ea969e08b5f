import { describe, expect, it } from 'vitest'
import {
  ANNOTATION_CLUSTER,
  ANNOTATION_NAMESPACE,
  ANNOTATION_NETWORK,
  ANNOTATION_SELECTOR,
  type PodFacts,
  type ReadAhead,
} from '../../changes/index.ts'
import type { EndpointSlice, Service } from '../../endpointslice/index.ts'
import { ENDPOINT_SLICES, PODS, SERVICES } from '../../kubernetes/index.ts'
import { type KeyMessage, withoutNewAddresses } from '../../queue/index.ts'
import { parseSettings } from '../../settings/index.ts'
import { atRest, KEY, type MemoryCluster, webPod, webService } from '../memory-cluster.fixtures.ts'
import { SETTINGS } from '../sync/sync-hinted-pods.fixtures.ts'
import { type Delivery, isReady, messageOf, NOW, processOf } from './pods-of-facts.fixtures.ts'

/** Returns a cluster whose Service has just got a label, and a process that has all of it in its cache. */
async function relabelled() {
  const cluster = await atRest(3, SETTINGS)
  const handle = processOf(cluster)
  await handle({ ...messageOf(cluster), readAhead: undefined } as unknown as KeyMessage)
  cluster.put(PODS, webPod(1))
  editService(cluster, { metadata: { labels: { tier: 'front' } } })
  return { cluster, handle }
}

function editService(cluster: MemoryCluster, { metadata, spec }: Partial<Service>): void {
  const [before] = cluster.all<Service>(SERVICES)
  cluster.put(SERVICES, {
    ...before,
    metadata: { ...before?.metadata, ...metadata },
    spec: { ...before?.spec, ...spec },
  })
}

const reads = (calls: readonly string[]): string[] =>
  calls.filter((call) => /^(get|list)/.test(call)).map((call) => call.split(' ').slice(0, 2).join(' '))

const slices = (cluster: MemoryCluster): EndpointSlice[] => cluster.all<EndpointSlice>(ENDPOINT_SLICES)

const tiers = (cluster: MemoryCluster): (string | undefined)[] =>
  slices(cluster).map(({ metadata }) => metadata?.labels?.tier)

const podNames = (cluster: MemoryCluster): (string | undefined)[] =>
  slices(cluster)
    .flatMap(({ endpoints }) => endpoints ?? [])
    .map(({ targetRef }) => targetRef?.name)
    .toSorted()

describe('a message about a Service that says what the relay has seen of all its Pods', () => {
  it('has the Service alone read, where its slices are cached', async () => {
    const { cluster, handle } = await relabelled()
    expect(reads(await handle(messageOf(cluster)))).toEqual(['get services'])
    expect(tiers(cluster)).toEqual(['front', 'front'])
    expect([podNames(cluster), isReady(cluster, 'web-1')]).toEqual([['web-1', 'web-2', 'web-3'], true])
  })

  it('has slices and Service read at once by a process that knows nothing', async () => {
    const { cluster } = await relabelled()
    const calls = await processOf(cluster)(messageOf(cluster))
    expect(reads(calls).toSorted()).toEqual(['get services', 'list endpointslices'])
  })

  it('has the Service alone read where it is gone, and its cached slices removed', async () => {
    const { cluster, handle } = await relabelled()
    cluster.remove(SERVICES, KEY.service)
    const calls = await handle(messageOf(cluster))
    expect(calls).toEqual([
      'get services web',
      expect.stringMatching(/^delete endpointslices/),
      expect.stringMatching(/^delete endpointslices/),
      'get services web',
    ])
    expect(slices(cluster)).toEqual([])
  })

  it('has slices and Service read at once where it is gone, by a process that knows nothing', async () => {
    const { cluster } = await relabelled()
    cluster.remove(SERVICES, KEY.service)
    const calls = await processOf(cluster)(messageOf(cluster))
    expect(reads(calls).slice(0, 2).toSorted()).toEqual(['get services', 'list endpointslices'])
    expect(slices(cluster)).toEqual([])
  })

  it('has Pods read where the Service that was gone is there again', async () => {
    const { cluster, handle } = await relabelled()
    const [service] = cluster.all<Service>(SERVICES)
    cluster.remove(SERVICES, KEY.service)
    const gone = messageOf(cluster)
    cluster.put(SERVICES, { ...service, metadata: { ...service?.metadata, uid: 'again' } })
    expect(reads(await handle(gone))).toContain('list pods')
    expect([podNames(cluster).length, ...new Set(tiers(cluster))]).toEqual([3, 'front'])
  })

  it('moves the endpoints to slices of other ports, whoever can send to the queue', async () => {
    const { cluster, handle } = await relabelled()
    editService(cluster, { spec: { ports: [{ port: 81, protocol: 'TCP' }] } })
    expect(reads(await handle(withoutNewAddresses(messageOf(cluster))))).toEqual(['get services'])
    expect(slices(cluster).map(({ ports }) => ports?.[0]?.port)).toEqual([81, 81])
    expect(podNames(cluster)).toHaveLength(3)
  })

  it('adds endpoints by its own queue alone', async () => {
    for (const [isOwn, expected] of [
      [true, ['get services']],
      [false, expect.arrayContaining(['list pods'])],
    ] as const) {
      const { cluster, handle } = await relabelled()
      cluster.put(PODS, webPod(4))
      const message = messageOf(cluster)
      expect(reads(await handle(isOwn ? message : withoutNewAddresses(message)))).toEqual(expected)
      expect(podNames(cluster)).toHaveLength(4)
    }
  })

  it.each<readonly [string, Partial<Service>]>([
    ['another label', { metadata: { labels: { tier: 'back' } } }],
    ['another port', { spec: { ports: [{ port: 81, protocol: 'TCP' }] } }],
  ])(
    'has the Service alone read for %s, where nothing has happened to Pods since the slices were written',
    async (_what, change) => {
      const { cluster, handle } = await relabelled()
      await handle(messageOf(cluster))
      const before = podNames(cluster)
      editService(cluster, change)
      expect(reads(await handle(messageOf(cluster)))).toEqual(['get services'])
      expect(slices(cluster)).toMatchObject(
        slices(cluster).map(() => ({ ports: change.spec?.ports ?? [{}], metadata: change.metadata ?? {} })),
      )
      expect([podNames(cluster), isReady(cluster, 'web-1')]).toEqual([before, true])
    },
  )

  it.each([
    ['unready', (cluster: MemoryCluster) => cluster.put(PODS, webPod(2, false))],
    ['gone', (cluster: MemoryCluster) => cluster.remove(PODS, 'web-2')],
  ])(
    'has the Pods read where slices say of one that it is %s, which the relay does not know',
    async (_what, happen) => {
      const { cluster, handle } = await relabelled()
      const { podsVersion, readAhead } = messageOf(cluster)
      happen(cluster)
      await processOf(cluster)({ ...messageOf(cluster), readAhead: undefined } as unknown as KeyMessage)
      editService(cluster, { metadata: { labels: { tier: 'back' } } })
      const now = messageOf(cluster)
      const late = { ...now, podsVersion, readAhead: { ...now.readAhead, selected: readAhead?.selected } }
      expect(reads(await handle(late as KeyMessage))).toContain('list pods')
      expect([...new Set(tiers(cluster))]).toEqual(['back'])
      expect(isReady(cluster, 'web-2')).not.toBe(true)
    },
  )

  it.each([
    ['an address', 1, ['10.9.9.9']],
    ['a uid', 0, 'uid-of-another'],
    ['a Node', 2, 'node-9'],
  ])('has the Pods read where it says %s that no slice has', async (_what, at, value) => {
    const { cluster, handle } = await relabelled()
    const lie = ({ endpoint, ...pod }: PodFacts): PodFacts => ({
      ...pod,
      endpoint: endpoint.with(at, value as string) as unknown as typeof endpoint,
    })
    const { readAhead, ...message } = messageOf(cluster)
    if (readAhead?.selected === undefined) throw new Error('the message has no facts')
    const { facts, ...named } = readAhead.selected
    const selected = { ...named, facts: { ...facts, pods: facts.pods.map((pod) => pod && lie(pod)) } }
    expect(reads(await handle({ ...message, readAhead: { ...readAhead, selected } }))).toContain('list pods')
    expect(tiers(cluster)).toEqual(['front', 'front'])
    expect(JSON.stringify(slices(cluster))).not.toMatch(/10\.9\.9\.9|uid-of-another|node-9/)
  })
})

const CUSTOM = parseSettings({ mode: 'custom', allowedPods: '*/*=*/*', allowedNetworks: '*/*=10.0.0.0/8' })
const BY_ANNOTATION = { [ANNOTATION_SELECTOR]: 'app=web' }

function inCustomMode(): Service {
  const service = webService({}, BY_ANNOTATION)
  const { selector: _, ...spec } = service.spec ?? {}
  return { ...service, spec }
}

const withAhead =
  (change: Partial<ReadAhead>) =>
  ({ readAhead, ...message }: KeyMessage): KeyMessage => {
    if (readAhead === undefined) throw new Error('the message says nothing of what may be read at once')
    return { ...message, readAhead: { ...readAhead, ...change } }
  }

describe('what the relay has seen does not count', () => {
  it.each<readonly [string, (message: KeyMessage) => KeyMessage, Delivery]>([
    ['is old', (message) => message, { now: NOW + 3_001 }],
    ['is received again', (message) => message, { receiveCount: 2 }],
    ['is of a relay that does not verify', ({ relayVerifies: _, ...message }) => message, {}],
    ['is of Pods older than the slices', (message) => ({ ...message, podsVersion: '1' }), {}],
    ['names no slices', withAhead({ slices: [], sliceVersions: [] }), {}],
    ['is of another Service than there is', (message) => ({ ...message, serviceVersion: '1' }), {}],
  ])('where the message %s', async (_what, change, delivery) => {
    const { cluster, handle } = await relabelled()
    expect(reads(await handle(change(messageOf(cluster)), delivery))).toContain('list pods')
    expect(tiers(cluster)).toEqual(['front', 'front'])
  })

  it('where the Service has another selector by now', async () => {
    const { cluster, handle } = await relabelled()
    const message = messageOf(cluster)
    editService(cluster, { spec: { selector: { app: 'other' } } })
    expect(reads(await handle(message))).toContain('list pods')
    expect(podNames(cluster)).toEqual([])
  })

  it('where the Pods that were listed at once are of another namespace than the Service names by now', async () => {
    const cluster = await atRest(3, CUSTOM, inCustomMode())
    const message = withAhead({ selected: undefined })(messageOf(cluster))
    const elsewhere = { [ANNOTATION_CLUSTER]: KEY.cluster, [ANNOTATION_NAMESPACE]: 'elsewhere' }
    editService(cluster, { metadata: { annotations: { ...BY_ANNOTATION, ...elsewhere } } })
    const calls = reads(await processOf(cluster, CUSTOM)(message)).slice(0, 6)
    expect(calls.filter((call) => call === 'list pods')).toHaveLength(2)
  })

  it.each([
    ['a namespace', { [ANNOTATION_CLUSTER]: KEY.cluster, [ANNOTATION_NAMESPACE]: 'elsewhere' }],
    ['a network', { [ANNOTATION_NETWORK]: 'storage' }],
  ])('where the Service takes its Pods of %s by now', async (_what, more) => {
    const cluster = await atRest(3, CUSTOM, inCustomMode())
    cluster.put(PODS, webPod(1))
    const message = messageOf(cluster)
    expect(message.readAhead?.selected?.pods).toHaveLength(3)
    editService(cluster, { metadata: { annotations: { ...BY_ANNOTATION, ...more } } })
    expect(reads(await processOf(cluster, CUSTOM)(message)).slice(0, 4)).toContain('list pods')
  })

  it('once the same process has synced a later message, which found nothing to write', async () => {
    const { cluster, handle } = await relabelled()
    cluster.put(PODS, webPod(2, false))
    await handle(messageOf(cluster))
    cluster.put(PODS, webPod(2))
    const overtaken = messageOf(cluster)
    cluster.put(PODS, webPod(2, false))
    expect(await handle(messageOf(cluster, 'web-2'))).toEqual([])
    expect(reads(await handle(overtaken))).toContain('list pods')
    expect(isReady(cluster, 'web-2')).toBe(false)
  })

  it('of the slices, where the same process has created one since, or removed one', async () => {
    const { cluster, handle } = await relabelled()
    const overtaken = messageOf(cluster)
    for (const number of [4, 5]) cluster.put(PODS, webPod(number))
    await handle(messageOf(cluster))
    expect(reads(await handle(overtaken)).slice(0, 3)).toContain('list endpointslices')
    expect(podNames(cluster)).toHaveLength(5)
    for (const number of [3, 4, 5]) cluster.remove(PODS, `web-${number}`)
    cluster.put(PODS, webPod(1))
    await handle(messageOf(cluster))
    cluster.put(PODS, webPod(1))
    editService(cluster, { metadata: { labels: { tier: 'back' } } })
    expect(reads(await handle(messageOf(cluster)))).toEqual(['get services'])
    expect([podNames(cluster).length, ...new Set(tiers(cluster))]).toEqual([2, 'back'])
  })

  it('of the slices, where another process has created one', async () => {
    const { cluster, handle } = await relabelled()
    for (const number of [4, 5]) cluster.put(PODS, webPod(number))
    await processOf(cluster)({ ...KEY, relayVerifies: true, history: 'h1' })
    cluster.put(PODS, webPod(1))
    editService(cluster, { metadata: { labels: { tier: 'back' } } })
    expect(reads(await handle(messageOf(cluster))).toSorted()).toEqual([
      'get services',
      'list endpointslices',
    ])
    expect([podNames(cluster).length, ...new Set(tiers(cluster))]).toEqual([5, 'back'])
  })
})
