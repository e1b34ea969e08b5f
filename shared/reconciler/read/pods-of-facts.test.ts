import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type HintFacts, type PodFacts, seal } from '../../changes/index.ts'
import type { EndpointSlice } from '../../endpointslice/index.ts'
import { ENDPOINT_SLICES, PODS } from '../../kubernetes/index.ts'
import { type KeyMessage, mergeMessages, withoutNewAddresses } from '../../queue/index.ts'
import { atRest, KEY, slicesWith, webPod } from '../memory-cluster.fixtures.ts'
import { editSlice, SETTINGS, withMetadata } from '../sync/sync-hinted-pods.fixtures.ts'
import { isReady, messageOf, NOW, processOf, warm } from './pods-of-facts.fixtures.ts'

const withFacts = (message: KeyMessage, change: (facts: HintFacts) => HintFacts): KeyMessage => {
  const { hint } = message
  if (hint?.facts === undefined) throw new Error('the message has no facts')
  return { ...message, hint: { ...hint, facts: change(hint.facts) } }
}
const withPodFacts = (message: KeyMessage, change: (facts: PodFacts) => PodFacts): KeyMessage =>
  withFacts(message, (facts) => ({ ...facts, pods: facts.pods.map((pod) => pod && change(pod)) }))

describe('a message that says what the relay has seen of a Pod', () => {
  it('costs one request where Service and slices are cached', async () => {
    const { cluster, handle } = await warm(9)
    const [name] = slicesWith(cluster, 'web-1')
    expect(await handle(messageOf(cluster, 'web-1'))).toEqual([`update endpointslices ${name}`])
    expect(isReady(cluster, 'web-1')).toBe(true)
  })

  it('costs a process that knows nothing one round of reads, and no Pod', async () => {
    const { cluster } = await warm()
    const [name] = slicesWith(cluster, 'web-1')
    const calls = await processOf(cluster)(messageOf(cluster, 'web-1'))
    expect(calls).toEqual([`get endpointslices ${name}`, 'get services web', `update endpointslices ${name}`])
  })

  it('costs one request where it was merged with another one that waited', async () => {
    const { cluster, handle } = await warm(9)
    const one = messageOf(cluster, 'web-1')
    cluster.put(PODS, webPod(2, false))
    expect(await handle(mergeMessages(one, messageOf(cluster, 'web-2')))).toEqual([
      expect.stringMatching(/^update endpointslices/),
    ])
    expect([isReady(cluster, 'web-1'), isReady(cluster, 'web-2')]).toEqual([true, false])
  })

  it('takes out a Pod that is gone, or that the Service selects no more', async () => {
    const { cluster, handle } = await warm()
    const pod = webPod(1)
    cluster.put(PODS, { ...pod, metadata: { ...pod.metadata, labels: { app: 'other' } } })
    expect(await handle(messageOf(cluster, 'web-1'))).toHaveLength(1)
    expect(slicesWith(cluster, 'web-1')).toEqual([])

    cluster.remove(PODS, 'web-3')
    cluster.put(PODS, webPod(2))
    expect(await handle(messageOf(cluster, 'web-2'))).toHaveLength(0)
  })

  describe('follows another one whose write the relay had not seen', () => {
    const two = async () => {
      const { cluster, handle } = await warm()
      const first = messageOf(cluster, 'web-1')
      cluster.put(PODS, webPod(2, false))
      return { handle, first, second: messageOf(cluster, 'web-2') }
    }

    it('and costs one request if that was made of facts, too', async () => {
      const { handle, first, second } = await two()
      for (const message of [first, second]) expect(await handle(message)).toHaveLength(1)
    })

    it.each<readonly [string, (messages: Record<'first' | 'second', KeyMessage>) => readonly KeyMessage[]]>([
      ['that was made of what was read', ({ first, second }) => [{ ...first, podsVersion: '1' }, second]],
      ['that was made of newer Pods', ({ first, second }) => [second, first]],
    ])('and reads the Pod after one %s', async (_what, inOrder) => {
      const { handle, ...messages } = await two()
      let calls: readonly string[] = []
      for (const message of inOrder(messages)) calls = await handle(message)
      expect(calls[0]).toMatch(/^get pods/)
    })
  })

  it('publishes what reading the Pods publishes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ pod: fc.integer({ min: 1, max: 4 }), ready: fc.boolean() }), { maxLength: 6 }),
        async (changes) => {
          const clusters = [await atRest(4, SETTINGS), await atRest(4, SETTINGS)] as const
          const [byFacts, byReads] = clusters.map((cluster) => processOf(cluster)) as [
            ReturnType<typeof processOf>,
            ReturnType<typeof processOf>,
          ]
          for (const { pod, ready } of changes) {
            for (const cluster of clusters) cluster.put(PODS, webPod(pod, ready))
            const message = messageOf(clusters[0], `web-${pod}`)
            await byFacts(message)
            const { facts: _facts, ...hint } = message.hint ?? { pods: [], slices: [] }
            await byReads({ ...message, hint })
          }
          const [one, other] = clusters.map((cluster) =>
            cluster.all<EndpointSlice>(ENDPOINT_SLICES).map(({ endpoints }) => endpoints),
          )
          expect(one).toEqual(other)
        },
      ),
      { numRuns: 30 },
    )
  })
})

describe('facts do not count, and the Pod is read', () => {
  const read = (calls: readonly string[]): boolean => calls.some((call) => call.startsWith('get pods web-1'))

  it.each<readonly [string, (message: KeyMessage) => KeyMessage]>([
    ['if the relay does not verify', ({ relayVerifies: _, ...message }) => message],
    ['for Pods of an unknown version', ({ podsVersion: _, ...message }) => message],
    ['for Pods no newer than the slices', (message) => ({ ...message, podsVersion: '1' })],
    ['for another Service than the relay saw', (message) => ({ ...message, serviceVersion: '1' })],
    [
      'for a relay that selects otherwise',
      (message) => withFacts(message, (facts) => ({ ...facts, selector: 'a=b' })),
    ],
    [
      'with another address',
      (message) =>
        withPodFacts(message, ({ endpoint, ...pod }) => ({
          ...pod,
          endpoint: endpoint.with(1, ['10.9.9.9']) as unknown as typeof endpoint,
        })),
    ],
    [
      'with another uid',
      (message) =>
        withPodFacts(message, ({ endpoint, ...pod }) => ({
          ...pod,
          endpoint: endpoint.with(0, 'uid-of-another') as unknown as typeof endpoint,
        })),
    ],
    [
      'with another Node',
      (message) =>
        withPodFacts(message, ({ endpoint, ...pod }) => ({
          ...pod,
          endpoint: endpoint.with(2, 'node-9') as unknown as typeof endpoint,
        })),
    ],
    ['with another zone', (message) => withPodFacts(message, (pod) => ({ ...pod, zone: 'elsewhere' }))],
  ])('%s', async (_what, change) => {
    const { cluster, handle } = await warm()
    expect(read(await handle(change(messageOf(cluster, 'web-1'))))).toBe(true)
    expect(isReady(cluster, 'web-1')).toBe(true)
    expect(cluster.all<EndpointSlice>(ENDPOINT_SLICES).flatMap(({ endpoints }) => endpoints)).toHaveLength(3)
  })

  it.each([
    ['a backlog has made them old', 3_001, true],
    ['their time has come just now', 2_999, false],
    ['the clock of the relay is far ahead', -1_001, true],
    ['the clock of the relay is a little ahead', -999, false],
  ])('when %s', async (_what, ageMs, isRead) => {
    const { cluster, handle } = await warm()
    expect(read(await handle(messageOf(cluster, 'web-1'), { now: NOW + ageMs }))).toBe(isRead)
  })

  it('for a slice that was written since the relay saw it', async () => {
    const { cluster } = await warm()
    const message = messageOf(cluster, 'web-1')
    editSlice(cluster, (slice) => seal(withMetadata(slice, { annotations: { note: 'by somebody' } })))
    expect(read(await processOf(cluster)(message))).toBe(true)
  })

  it('after a conflict', async () => {
    const { cluster, handle } = await warm()
    const message = messageOf(cluster, 'web-1')
    editSlice(cluster, (slice) => seal(withMetadata(slice, { annotations: { note: 'by somebody' } })))
    const [name] = slicesWith(cluster, 'web-1')
    expect(await handle(message)).toEqual([
      `update endpointslices ${name}`,
      `get endpointslices ${name}`,
      'get services web',
      'get pods web-1',
      'get nodes node-1',
      `update endpointslices ${name}`,
    ])
  })

  it('of messages that were merged, where a message between them overtook', async () => {
    const { cluster, handle } = await warm()
    cluster.put(PODS, webPod(1, false))
    const older = messageOf(cluster, 'web-1')
    cluster.put(PODS, webPod(1))
    await handle(messageOf(cluster, 'web-1'))
    cluster.put(PODS, webPod(2, false))
    const merged = mergeMessages(older, messageOf(cluster, 'web-2'))
    expect(await handle(merged)).toContainEqual(expect.stringMatching(/^get pods web-1/))
    expect([isReady(cluster, 'web-1'), isReady(cluster, 'web-2')]).toEqual([true, false])
  })

  it('from a message that a later one overtook in the same process, which found nothing to write', async () => {
    const { cluster, handle } = await warm()
    cluster.put(PODS, webPod(1, false))
    await handle(messageOf(cluster, 'web-1'))
    cluster.put(PODS, webPod(1))
    const overtaken = messageOf(cluster, 'web-1')
    cluster.put(PODS, webPod(1, false))
    expect(await handle(messageOf(cluster, 'web-1'))).toEqual([])
    expect(read(await handle(overtaken))).toBe(true)
    expect(isReady(cluster, 'web-1')).toBe(false)
  })
})

describe('a message about a Pod that is to be added', () => {
  it('of its own queue costs one write', async () => {
    const { cluster, handle } = await warm()
    await handle(messageOf(cluster, 'web-3'))
    cluster.put(PODS, webPod(4))
    const calls = await handle(messageOf(cluster, 'web-4'))
    expect(calls).toEqual([`update endpointslices ${slicesWith(cluster, 'web-4')[0]}`])
    expect(isReady(cluster, 'web-4')).toBe(true)
  })

  it('that is the first of its Service costs one request, and makes the placeholder what a full sync does', async () => {
    const make = async () => {
      const cluster = await atRest(0, SETTINGS)
      const handle = processOf(cluster)
      await handle({ ...KEY, relayVerifies: true, history: 'h1' })
      return { cluster, handle }
    }
    const [hinted, full] = [await make(), await make()]
    const [placeholder] = hinted.cluster.all(ENDPOINT_SLICES)
    const { name, resourceVersion } = placeholder?.metadata ?? {}
    for (const { cluster } of [hinted, full]) cluster.put(PODS, webPod(1))
    const calls = await hinted.handle(messageOf(hinted.cluster, 'web-1'))
    expect(calls).toEqual([`update endpointslices ${name}`])
    await full.handle(KEY)
    const contentOf = ({ cluster }: typeof hinted) =>
      cluster.all<EndpointSlice>(ENDPOINT_SLICES).map(({ metadata, ...content }) => ({
        ...content,
        labels: metadata?.labels,
        owners: metadata?.ownerReferences?.map(({ uid: _, ...owner }) => owner),
      }))
    expect(contentOf(hinted)).toEqual(contentOf(full))
    expect(contentOf(hinted)).toHaveLength(1)
    expect(hinted.cluster.all(ENDPOINT_SLICES)[0]?.metadata?.resourceVersion).not.toBe(resourceVersion)
  })

  it('of a queue that others send to is read; a process that knows nothing reads all in one round', async () => {
    const { cluster } = await warm()
    cluster.put(PODS, webPod(4))
    const message = withoutNewAddresses(messageOf(cluster, 'web-4'))
    expect(message.hint).toMatchObject({ pods: ['web-4'], nodes: ['node-1'] })
    const calls = await processOf(cluster)(message)
    expect(calls.filter((call) => call.startsWith('get')).map((call) => call.split(' ')[1])).toEqual([
      'endpointslices',
      'services',
      'pods',
      'nodes',
    ])
    expect(slicesWith(cluster, 'web-4')).toHaveLength(1)
  })
})
