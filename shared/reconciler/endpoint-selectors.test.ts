import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { makeNode } from '../../test/support/world/index.ts'
import { ENDPOINT_SELECTOR, isSealed } from '../changes/index.ts'
import { type EndpointSelector, type EndpointSlice, LABEL_SERVICE_NAME } from '../endpointslice/index.ts'
import {
  ENDPOINT_SELECTORS,
  ENDPOINT_SLICES,
  EVENTS,
  NODES,
  NotFoundError,
  PODS,
  SERVICES,
} from '../kubernetes/index.ts'
import { parseSettings } from '../settings/index.ts'
import { SILENT_LOG } from '../telemetry/index.ts'
import {
  createMemoryCluster,
  type MemoryCluster,
  startProcess,
  sync,
  KEY as WEB_KEY,
  webPod,
  webService,
} from './memory-cluster.fixtures.ts'
import { createReconciler } from './reconcile-service.ts'

const SETTINGS = parseSettings({ mode: 'replace', endpointSelectors: true })
const KEY = { ownerKind: ENDPOINT_SELECTOR } as const

const selector = (spec: EndpointSelector['spec']): EndpointSelector => ({
  apiVersion: 'sliceflow.dev/v1alpha1',
  kind: 'EndpointSelector',
  metadata: { name: 'web', namespace: 'shop' },
  spec,
})
const WEB = { selector: { matchLabels: { app: 'web' } } }
const MATCHES_WEB = selector({ ...WEB, ipFamilies: ['IPv4'] })

const slices = (cluster: MemoryCluster): EndpointSlice[] => cluster.all(ENDPOINT_SLICES)
const podsIn = (all: readonly EndpointSlice[]): (string | undefined)[] =>
  all.flatMap(({ endpoints }) => endpoints ?? []).map(({ targetRef }) => targetRef?.name)

/** Returns a cluster with a published EndpointSelector and the process that published it. */
async function published() {
  const cluster = createMemoryCluster()
  cluster.put(NODES, makeNode())
  for (const number of [1, 2]) cluster.put(PODS, webPod(number))
  cluster.put(ENDPOINT_SELECTORS, MATCHES_WEB)
  const process = startProcess(cluster, { settings: SETTINGS })
  await process.handle(KEY)
  expect(podsIn(slices(cluster))).toEqual(['web-1', 'web-2'])
  cluster.calls.length = 0
  return { cluster, process }
}

describe('the slices of an EndpointSelector', () => {
  it('are written once, sealed, and need no second write', async () => {
    const { cluster, process } = await published()
    expect(slices(cluster).every(isSealed)).toBe(true)
    process.clock.now += 60_000
    await process.handle(KEY)
    expect(cluster.calls.filter((call) => /^(create|update|delete) /.test(call))).toEqual([])
  })

  it('stay as they are while the API server does not serve the kind, and the key fails', async () => {
    const { cluster, process } = await published()
    cluster.before = (call) => {
      if (call.startsWith('get endpointselectors')) throw new NotFoundError('404 page not found', 404, {})
    }
    process.clock.now += 60_000
    await expect(process.handle(KEY)).rejects.toThrow('404 page not found')
    expect(slices(cluster)).toHaveLength(1)
  })

  it('go with it, and nothing of a Service of its name', async () => {
    const { cluster, process } = await published()
    cluster.put(SERVICES, webService())
    await process.handle()
    cluster.remove(ENDPOINT_SELECTORS, 'web')
    process.clock.now += 60_000
    await process.handle(KEY)
    expect(slices(cluster).map(({ metadata }) => metadata?.labels?.[LABEL_SERVICE_NAME])).toEqual(['web'])
  })

  it.each([
    ['an empty selector', { selector: {} }],
    ['none', {} as EndpointSelector['spec']],
    ['an unknown operator', { selector: { matchExpressions: [{ key: 'app', operator: 'Like' as never }] } }],
    ['a label that is none', { selector: { matchLabels: { 'not a label': 'web' } } }],
    ['two ports of one name', { ...WEB, ports: [{ targetPort: 80 }, { targetPort: 81 }] }],
    ['a port that is none', { ...WEB, ports: [{ targetPort: 0 }] }],
    ['a port name that is none', { ...WEB, ports: [{ targetPort: 'not a port' }] }],
    ['a protocol that is none', { ...WEB, ports: [{ targetPort: 80, protocol: 'HTTP' }] }],
    ['an appProtocol that is none', { ...WEB, ports: [{ targetPort: 80, appProtocol: 'not one' }] }],
    ['a port that is no object', { ...WEB, ports: [null as never] }],
    ['ports that are no list', { ...WEB, ports: {} as never }],
    ['a family that is none', { ...WEB, ipFamilies: ['IPv5'] }],
    [
      'more than can be compared with each Pod',
      {
        selector: {
          matchExpressions: [
            {
              key: 'app',
              operator: 'In' as const,
              values: Array.from({ length: 101 }, (_, index) => `v${index}`),
            },
          ],
        },
      },
    ],
  ])('stay as they are with %s, and an Event says so', async (_, spec) => {
    const { cluster, process } = await published()
    cluster.put(ENDPOINT_SELECTORS, selector(spec))
    process.clock.now += 60_000
    await process.handle(KEY)
    expect(podsIn(slices(cluster))).toEqual(['web-1', 'web-2'])
    expect(cluster.all(EVENTS)).toMatchObject([
      {
        reason: 'InvalidSelector',
        involvedObject: { kind: 'EndpointSelector', name: 'web' },
        message: expect.stringMatching(/^the field spec\.(selector|ports|ipFamilies) cannot be used: ./),
      },
    ])
  })

  it('are none with a name that no label can have, which an Event says', async () => {
    const { cluster, process } = await published()
    const name = 'a'.repeat(253)
    cluster.put(ENDPOINT_SELECTORS, { ...MATCHES_WEB, metadata: { name, namespace: 'shop' } })
    await process.handle({ ...KEY, service: name })
    expect(slices(cluster)).toHaveLength(1)
    const [event] = cluster.all(EVENTS)
    expect(event).toMatchObject({
      reason: 'InvalidSelector',
      involvedObject: { name },
      message: expect.stringMatching(/^the field metadata.name cannot be used: .* no more than 63 bytes/),
    })
    expect(event?.metadata?.name).toMatch(/^[0-9a-f]{16}$/)
  })

  it('say which port clashes, and with what', async () => {
    const { cluster, process } = await published()
    const ports = [
      { name: 'http', targetPort: 80 },
      { name: 'http', targetPort: 81 },
    ]
    cluster.put(ENDPOINT_SELECTORS, selector({ ...WEB, ports }))
    process.clock.now += 60_000
    await process.handle(KEY)
    expect(cluster.all(EVENTS)[0]?.message).toBe(
      'the field spec.ports cannot be used: port 2 of 2: another port has the name "http" as well; the slices stay as they are until it is fixed',
    )
  })

  it('are compared as a shadow, but not without the setting', async () => {
    const { cluster } = await published()
    cluster.put(PODS, webPod(3))
    const compared = async (endpointSelectors: boolean) => {
      const settings = parseSettings({ mode: 'replace', endpointSelectors, shadow: true })
      const results: unknown[] = []
      const clock = { now: () => 0, pause: async () => {} }
      const reconcile = createReconciler({
        clientOf: () => cluster.client,
        ...{ settings, logger: SILENT_LOG, clock },
        onCompared: ({ result }) => results.push(result),
      })
      const { signal } = new AbortController()
      await reconcile({ ...WEB_KEY, ...KEY, messageIds: [] }, { signal, receiveCount: 1, sentTimestamp: 0 })
      return results
    }
    expect(await compared(true)).toEqual(['different'])
    expect(await compared(false)).toEqual([])
  })

  it('are no business of a process without the setting', async () => {
    const { cluster } = await published()
    cluster.remove(ENDPOINT_SELECTORS, 'web')
    const { handle } = startProcess(cluster, { settings: parseSettings({ mode: 'replace' }) })
    await handle(KEY)
    expect(cluster.calls).toEqual([])
  })

  it('have no hostname, whatever the subdomain of a Pod', async () => {
    const { cluster, process } = await published()
    const pod = webPod(1)
    cluster.put(PODS, { ...pod, spec: { ...pod.spec, hostname: 'one', subdomain: 'web', containers: [] } })
    process.clock.now += 60_000
    await process.handle(KEY)
    expect(
      slices(cluster)
        .flatMap(({ endpoints }) => endpoints ?? [])
        .map(({ hostname }) => hostname),
    ).toEqual([undefined, undefined])
  })

  it('are read in one round with what they are made from, by a process that knows nothing', async () => {
    const { cluster } = await published()
    const { resourceVersion: serviceVersion = '' } = cluster.all(ENDPOINT_SELECTORS)[0]?.metadata ?? {}
    const { name = '', resourceVersion = '' } = slices(cluster)[0]?.metadata ?? {}
    const saw = { ...KEY, serviceVersion, nodesVersion: '1', relayVerifies: true, history: 'h' } as const
    /** Returns the most reads at once that a new process needs for a message about a Pod that failed. */
    const readsAtOnce = async (message: Parameters<typeof sync>[1], number: number) => {
      cluster.put(PODS, webPod(number, false))
      const { get, list } = cluster.client
      let [running, most] = [0, 0]
      const counted = async <T>(answer: Promise<T>): Promise<T> => {
        most = Math.max(most, ++running)
        await setImmediate()
        running--
        return answer
      }
      cluster.client.get = (...of) => counted(get(...of))
      cluster.client.list = (...of) => counted(list(...of))
      await sync(cluster, message, { settings: SETTINGS })
      Object.assign(cluster.client, { get, list })
      const ofPod = slices(cluster).flatMap(({ endpoints }) => endpoints ?? [])[number - 1]
      expect(ofPod?.conditions?.ready).toBe(false)
      return most
    }
    const versions = { slicesVersion: resourceVersion, podsVersion: resourceVersion }
    const readAhead = { ...versions, selector: 'app in (web)', nodes: ['node-1'] }
    expect(await readsAtOnce({ ...saw, readAhead }, 1)).toBe(4)
    const { resourceVersion: written = '' } = slices(cluster)[0]?.metadata ?? {}
    const hint = { pods: ['web-2'], slices: [name], sliceVersions: [written] }
    const newer = String(Number(written) + 1)
    expect(
      await readsAtOnce({ ...saw, hint: { ...hint, nodes: ['node-1'] }, resourceVersion: newer }, 2),
    ).toBe(4)
  })
})
