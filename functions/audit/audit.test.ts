import type { Context } from 'aws-lambda'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type ApiClient, createApiClient } from '../../shared/kubernetes/index.ts'
import type { KeyMessage, QueueSender } from '../../shared/queue/index.ts'
import { createEmfMetrics, createLogger } from '../../shared/telemetry/index.ts'
import { answerJson, type ScriptedServer, startScriptedServer } from '../../test/support/scripted-server.ts'
import { auditSlot, createAuditHandler } from './audit.ts'
import { createAuditMetrics } from './metrics.ts'
import { createAuditSlots, SLOT_SECONDS } from './slots.ts'

const DAY = createAuditSlots(86_400)
const SLOTS = Array.from({ length: DAY.count }, (_, slot) => slot)
const CUSTOM = { mode: 'custom', managedBy: 'sliceflow.dev' } as const
const SELECTED = { 'sliceflow.dev/selector': 'app=web' }

interface Listed {
  readonly name: string
  readonly annotations?: Readonly<Record<string, string>>
  readonly labels?: Readonly<Record<string, string>>
}

const service = (name: string, annotations: Listed['annotations'] = SELECTED): Listed => ({
  name,
  annotations,
})
const sliceOf = (of: string): Listed => ({
  name: `${of}-x7f`,
  labels: { 'kubernetes.io/service-name': of, 'endpointslice.kubernetes.io/managed-by': 'sliceflow.dev' },
})
const list = (items: readonly Listed[]) => ({
  kind: 'PartialObjectMetadataList',
  apiVersion: 'meta.k8s.io/v1',
  metadata: { resourceVersion: '1' },
  items: items.map((metadata) => ({ metadata: { namespace: 'shop', ...metadata } })),
})

describe('an audit', () => {
  let server: ScriptedServer
  let sent: KeyMessage[]
  const clients: ApiClient[] = []

  beforeEach(async () => {
    server = await startScriptedServer()
    sent = []
  })
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close()
    await server.close()
  })

  function clientOf(cluster: string): ApiClient {
    const client = createApiClient({ ...server.connection, name: cluster })
    clients.push(client)
    return client
  }
  function has(services: readonly Listed[], slices: readonly Listed[] = []): void {
    server.answer(({ url = '' }, response) =>
      answerJson(response, list(url.includes('/services') ? services : slices)),
    )
  }
  const sender: QueueSender = {
    async send(messages) {
      sent.push(...messages)
      return { accepted: messages, rejected: [], unsent: [] }
    },
  }
  const names = (): string[] => sent.map(({ service: name }) => name).toSorted()
  const ofDay = { settings: CUSTOM, slots: DAY, sender }
  const whole = { settings: CUSTOM, slots: createAuditSlots(SLOT_SECONDS), slot: 0, sender }

  it('sends each key of each cluster in one slot of the interval, and says that it is an audit’s', async () => {
    has(Array.from({ length: 50 }, (_, index) => service(`s${index}`)))
    const both = [clientOf('a'), clientOf('b')]
    for (const slot of SLOTS) await auditSlot({ ...ofDay, clients: both, slot })
    expect(new Set(sent.map((key) => JSON.stringify(key))).size).toBe(100)
    expect(sent).toHaveLength(100)
    expect(sent.every(({ audit, nodesVersion, hint }) => audit && !nodesVersion && !hint)).toBe(true)
  })

  it('asks a cluster only when it is its turn, four times an interval, and for names only', async () => {
    has([service('web')])
    const client = clientOf('a')
    for (const slot of SLOTS) await auditSlot({ ...ofDay, clients: [client], slot })
    expect(server.requests.filter((request) => request.includes('/services'))).toHaveLength(4)
    expect(server.requests).toHaveLength(8)
  })

  it('sends what may be managed: in custom mode what is annotated, in replace mode everything', async () => {
    has([service('web'), service('plain', {}), service('fixed', { 'sliceflow.dev/addresses': '10.0.0.1' })])
    await auditSlot({ ...whole, clients: [clientOf('a')] })
    expect(names()).toEqual(['fixed', 'web'])
    sent.length = 0
    await auditSlot({ ...whole, settings: { ...CUSTOM, mode: 'replace' }, clients: [clientOf('a')] })
    expect(names()).toEqual(['fixed', 'plain', 'web'])
  })

  it('sends what has Endpoints, where these are mirrored, and asks for none otherwise', async () => {
    server.answer(({ url = '' }, response) => {
      const items = url.includes('/services') ? [service('web')] : [{ name: 'db' }, { name: 'no.service' }]
      answerJson(response, list(url.includes('/endpointslices') ? [] : items))
    })
    const settings = { ...CUSTOM, mirrorEndpoints: true }
    await auditSlot({ ...whole, settings, clients: [clientOf('a')] })
    expect(names()).toEqual(['db', 'web'])
    const asked = (): string[] => server.requests.filter((request) => request.includes('/api/v1/endpoints'))
    expect(asked()).toEqual([expect.stringContaining('managed-by%21%3Dendpoint-controller')])
    await auditSlot({ ...whole, clients: [clientOf('a')] })
    await auditSlot({ ...whole, settings: { ...settings, mode: 'replace' }, clients: [clientOf('a')] })
    expect(asked()).toHaveLength(1)
  })

  it('sends EndpointSelectors of a cluster that serves them, and those that slices name, where these are on', async () => {
    const settings = { ...CUSTOM, endpointSelectors: true }
    const served = ['sliceflow.dev', 'discovery.k8s.io'].map((name) => ({
      name,
      versions: [{ version: 'v1alpha1' }],
    }))
    const ofSelector = (of: string): Listed => ({
      name: `${of}-x7f`,
      labels: { 'kubernetes.io/endpoint-selector-name': of },
    })
    let isServed = true
    const answers: readonly (readonly [RegExp, () => object])[] = [
      [/^\/apis$/, () => ({ groups: isServed ? served : [] })],
      [/v1alpha1$/, () => ({ resources: [{ name: 'endpointselectors' }] })],
      [/discovery.*\/endpointselectors/, () => list([{ name: 'native' }, { name: 'web' }])],
      [/\/endpointselectors/, () => list([{ name: 'all' }, { name: 'web' }])],
      [/\/services/, () => list([service('web')])],
      [/\/endpointslices/, () => list([ofSelector('gone.x')])],
    ]
    server.answer(({ url = '' }, response) => {
      const [, answer = () => list([])] = answers.find(([path]) => path.test(url)) ?? []
      answerJson(response, answer())
    })
    const kinds = (): string[] =>
      sent.map(({ service: name, ownerKind = '-' }) => `${ownerKind} ${name}`).sort()
    await auditSlot({ ...whole, settings, clients: [clientOf('a')] })
    expect(kinds()).toEqual([
      '- web',
      'EndpointSelector all',
      'EndpointSelector gone.x',
      'EndpointSelector native',
      'EndpointSelector web',
    ])
    isServed = false
    sent.length = 0
    await auditSlot({ ...whole, settings, clients: [clientOf('a')] })
    expect(kinds()).toEqual(['- web', 'EndpointSelector gone.x'])
    sent.length = 0
    await auditSlot({ ...whole, clients: [clientOf('a')] })
    expect(kinds()).toEqual(['- web'])
    sent.length = 0
    // The one that would stand for the Service may be missing.
    const projecting = { ...settings, serviceProjection: true }
    await auditSlot({ ...whole, settings: projecting, clients: [clientOf('a')] })
    expect(kinds()).toEqual(['- web', 'EndpointSelector gone.x', 'EndpointSelector web'])
  })

  it('sends Services that are gone as long as a slice of ours names them, each once', async () => {
    has([service('web')], [sliceOf('web'), sliceOf('gone'), sliceOf('gone')])
    const { sent: counts } = await auditSlot({ ...whole, clients: [clientOf('a')] })
    expect(names()).toEqual(['gone', 'web'])
    expect([...counts]).toEqual([['a', 2]])
  })

  it('passes over labels that name no Service, as anybody may write one', async () => {
    const labels = ['Not_A_Service', '-web', 'web.', 'x'.repeat(64)]
    has([service('web')], [...labels.map(sliceOf), sliceOf('gone')])
    const { sent: counts, failures } = await auditSlot({ ...whole, clients: [clientOf('a')] })
    expect(failures).toEqual([])
    expect([names(), counts.get('a')]).toEqual([['gone', 'web'], 2])
  })

  it('asks for the slices that are ours, and for the names of each kind', async () => {
    const accepted: (string | undefined)[] = []
    server.answer(({ headers }, response) => {
      accepted.push(headers.accept)
      answerJson(response, list([]))
    })
    await auditSlot({ ...whole, clients: [clientOf('a')] })
    const selectors = server.requests.map((request) => new URL(request.slice(4), 'https://a').searchParams)
    expect(selectors.map((query) => query.get('labelSelector'))).toEqual([
      null,
      'endpointslice.kubernetes.io/managed-by=sliceflow.dev',
    ])
    expect(accepted.every((types) => types?.includes('as=PartialObjectMetadataList'))).toBe(true)
  })

  it('sends a key once of a Service whose slices are on several pages', async () => {
    server.answer(({ url = '' }, response) => {
      const query = new URL(url, 'https://a').searchParams
      const page = list(url.includes('/services') ? [] : [sliceOf('gone')])
      const isFirst = !url.includes('/services') && !query.has('continue')
      answerJson(response, { ...page, metadata: { ...page.metadata, ...(isFirst && { continue: 'more' }) } })
    })
    await auditSlot({ ...whole, clients: [clientOf('a')] })
    expect(names()).toEqual(['gone'])
  })

  it.each<[string, QueueSender['send'], string]>([
    [
      'does not take in time',
      async (messages) => ({ accepted: [], rejected: [], unsent: messages }),
      'failed to send 3 of 3 keys to the queue',
    ],
    [
      'refuses',
      async ([item, ...accepted]) => ({
        accepted,
        rejected: item === undefined ? [] : [{ item, code: 'InvalidMessageContents', reason: 'no' }],
        unsent: [],
      }),
      'failed to send 2 of 3 keys to the queue; a/shop/web: no',
    ],
  ])(
    'fails for a cluster whose keys the queue %s, after it has sent the others',
    async (_, send, message) => {
      has([service('web'), service('api')], [sliceOf('gone')])
      const result = await auditSlot({ ...whole, sender: { send }, clients: [clientOf('a')] })
      expect(result.failures).toMatchObject([{ cluster: 'a', error: { message } }])
      expect(result.sent).toEqual(new Map())
    },
  )

  describe('on a schedule', () => {
    function handlerOf(...all: ApiClient[]) {
      const lines: string[] = []
      const write = (line: string): void => void lines.push(line)
      const metrics = createAuditMetrics(createEmfMetrics({ write }))
      const given = { ...ofDay, clients: all, metrics, logger: createLogger({ write }) }
      const call = async (time: string, remainingMs = 60_000, slots = DAY): Promise<void> => {
        const handler = createAuditHandler({ ...given, slots })
        const context = { getRemainingTimeInMillis: () => remainingMs } as Context
        await handler({ time } as never, context, () => {})
      }
      const linesSaid = () => lines.map((line) => JSON.parse(line))
      const metricsSaid = () => linesSaid().filter((line) => '_aws' in line)
      const logged = () => linesSaid().filter((line) => !('_aws' in line))
      return { call, said: () => lines.join(''), metricsSaid, logged }
    }
    const turn = SLOTS.find((slot) => DAY.partOf('a', slot) !== undefined) ?? 0
    const timeOf = (slot: number): string => new Date((slot + 0.5) * SLOT_SECONDS * 1000).toISOString()
    const many = Array.from({ length: 40 }, (_, index) => service(`s${index}`))

    it('is of the slot that the event’s time says, again when it is tried again', async () => {
      has(many)
      const { call, said } = handlerOf(clientOf('a'))
      await call(timeOf(turn + 1))
      expect(sent).toEqual([])
      await call(timeOf(turn))
      const first = names()
      expect(first.length).toBeGreaterThan(0)
      sent.length = 0
      await call(timeOf(turn))
      expect(names()).toEqual(first)
      expect(said()).toContain(`"AuditKeys":${first.length}`)
    })

    it('reports each cluster that failed, and counts what it sent of the others, each time again', async () => {
      has(many)
      const bad = ['bad-1', 'bad-2'].map((name) =>
        createApiClient({ ...server.connection, name, server: new URL('https://127.0.0.1:1') }),
      )
      clients.push(...bad)
      const slots = createAuditSlots(SLOT_SECONDS)
      const { call, logged, metricsSaid } = handlerOf(...bad, clientOf('a'))
      for (let round = 0; round < 2; round++) {
        const before = metricsSaid().length
        await expect(call('none', 60_000, slots)).rejects.toMatchObject({
          message: 'failed to audit bad-1, bad-2',
          errors: [expect.any(Error), expect.any(Error)],
        })
        expect(metricsSaid().slice(before)).toMatchObject([
          { AuditKeys: 40 },
          { AuditFailures: 1, Cluster: 'bad-1' },
          { AuditFailures: 1, Cluster: 'bad-2' },
        ])
      }
      const each = [
        { cluster: 'a', slot: 0, keys: 40, msg: expect.stringMatching(/^sent a part/) },
        { cluster: 'bad-1', slot: 0, err: expect.anything(), msg: 'cannot audit the cluster' },
        { cluster: 'bad-2', slot: 0, err: expect.anything(), msg: 'cannot audit the cluster' },
      ]
      expect(logged()).toMatchObject([...each, ...each])
    })

    it('is of the present slot when the event has no time', async () => {
      has(many)
      const { call } = handlerOf(clientOf('a'))
      vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(timeOf(turn)) })
      try {
        await call('')
        expect(sent.length).toBeGreaterThan(0)
        sent.length = 0
        vi.setSystemTime(Date.parse(timeOf(turn + 1)))
        await call('')
        expect(sent).toEqual([])
      } finally {
        vi.useRealTimers()
      }
    })

    it.each([
      [60_000, 57_000],
      [12_000, 9_000],
      [8_000, 6_000],
    ])('of %i ms works for %i ms, and keeps the rest for its end', async (remainingMs, workMs) => {
      has([])
      const timeout = vi.spyOn(AbortSignal, 'timeout')
      onTestFinished(() => timeout.mockRestore())
      const { call } = handlerOf()
      await call(timeOf(turn), remainingMs)
      expect(timeout.mock.calls).toEqual([[workMs]])
    })

    it('ends before its time is over, counts what it did not finish, and fails', async () => {
      server.answer(() => {})
      const { call, said } = handlerOf(clientOf('a'))
      await expect(call(timeOf(turn), 200)).rejects.toThrow('failed to audit a')
      expect(said()).toContain('"AuditFailures":1')
    })
  })
})
