import { beforeEach, describe, expect, it } from 'vitest'
import type { ClusterReading } from '../../../shared/telemetry/index.ts'
import {
  createMetrics,
  createStatusRecord,
  type Metrics,
  type Queues,
  type StatusRecord,
} from '../../local/index.ts'
import { createOperatorCommands } from '../../operator-tasks/index.ts'
import { createFigures, type Figures } from './figures.ts'

const KEY = { cluster: 'a', namespace: 'shop', service: 'web' }
const WRITTEN = { key: KEY, created: 1, updated: 2, deleted: 0, attempts: 1 }

const reading = (cluster: string, changed: Partial<ClusterReading> = {}): ClusterReading => ({
  cluster,
  synced: true,
  watches: [{ kind: 'pods', failing: false, objects: 1 }],
  lanes: [{ lane: 'live', pending: 2, oldestSeconds: 0 }],
  ...changed,
})

let now: number
let metrics: Metrics
let record: StatusRecord
let mayAsk: boolean
let figures: Figures

function setUp(...names: readonly string[]): void {
  now = 1_000_000
  metrics = createMetrics()
  record = createStatusRecord(names, () => now)
  mayAsk = true
  const { registry } = metrics
  figures = createFigures({
    registry,
    status: record.document,
    commands: createOperatorCommands({ settings: { mode: 'custom', managedBy: 'sliceflow.dev' } }),
    mayAskQueues: () => mayAsk,
    now: () => now,
  })
}
beforeEach(() => setUp('a', 'b'))

/** Queues that say so of their dead letters. */
const queuesOf = (messages: () => string, liveLetters?: string, sweepLetters?: string): Queues => {
  const lane = (url: string, deadLetterUrl?: string) => ({
    url,
    deadLetters: { send: async () => undefined },
    ...(deadLetterUrl !== undefined && { deadLetterUrl }),
  })
  const client = {
    getQueueAttributes: async () => ({ Attributes: { ApproximateNumberOfMessages: messages() } }),
  } as unknown as Queues['client']
  const lanes = { live: lane('live', liveLetters), sweep: lane('sweep', sweepLetters) }
  return { client, lanes, areOwn: true, stop: async () => undefined }
}

describe('the figures', () => {
  it('have the slices written a second since the sample before, and in all', async () => {
    expect(await figures.read()).toMatchObject({ writes: 0, written: 0 })
    record.observer.onReconciled?.(WRITTEN)
    record.observer.onReconciled?.({ ...WRITTEN, key: { ...KEY, cluster: 'b' } })
    now += 2_000
    expect(await figures.read()).toMatchObject({ writes: 3, written: 6 })
    now += 1_000
    expect(await figures.read()).toMatchObject({ writes: 0, written: 6 })
  })

  it('say of each cluster whether it answers, the worst first', async () => {
    setUp('fine', 'starting', 'down', 'silent', 'elsewhere')
    metrics.relay.readFrom(() => [
      reading('fine'),
      reading('starting', { synced: false }),
      reading('down', { watches: [{ kind: 'pods', failing: true, objects: 0 }] }),
      reading('silent'),
    ])
    metrics.observer.onClusters?.(() => [
      { cluster: 'silent', circuit: 2, waiting: 0, left: 0, pauses: 0 },
      { cluster: 'fine', circuit: 1, waiting: 0, left: 0, pauses: 0 },
    ])
    const { clusters } = await figures.read()
    expect(clusters.map(({ name, state, pending }) => [name, state, pending])).toEqual([
      ['down', 'unreachable', 2],
      ['silent', 'unreachable', 2],
      ['starting', 'listing', 2],
      ['fine', 'reachable', 2],
      ['elsewhere', 'not followed', 0],
    ])
  })

  it('have the delay of the slowest cluster, and none before a change', async () => {
    expect(await figures.read()).not.toHaveProperty('p50')
    for (const [cluster, ms] of [
      ['a', 20],
      ['b', 500],
    ] as const) {
      record.observer.onEvent?.([{ ...KEY, cluster }])
      now += ms
      record.observer.onReconciled?.({ ...WRITTEN, key: { ...KEY, cluster } })
    }
    const { clusters, ...all } = await figures.read()
    expect(all).toMatchObject({ p50: 0.5, p99: 0.5 })
    expect(clusters).toMatchObject([{ p50: 0.02 }, { p50: 0.5 }])
  })

  it('count keys that wait for their sync, and those of them that the queue has not accepted', async () => {
    metrics.relay.readFrom(() => [reading('a')])
    for (const service of ['web', 'api', 'web']) record.observer.onEvent?.([{ ...KEY, service }])
    record.observer.onEvent?.([{ ...KEY, cluster: 'b' }])
    expect(await figures.read()).toMatchObject({ waiting: 3, pending: 2 })
    record.observer.onReconciled?.(WRITTEN)
    expect(await figures.read()).toMatchObject({ waiting: 2 })
  })

  it('count the dead letters of each queue once', async () => {
    const open = (queues: Queues): void => {
      metrics.setQueues(queues)
      record.opened(queues.lanes)
      now += 60_000
    }
    expect(await figures.read()).not.toHaveProperty('deadLetters')
    open(queuesOf(() => '7', 'live-letters', 'sweep-letters'))
    expect(await figures.read()).toMatchObject({ deadLetters: 14 })
    open(queuesOf(() => '7', 'letters', 'letters'))
    expect(await figures.read()).toMatchObject({ deadLetters: 7 })
    open(queuesOf(() => '7'))
    expect(await figures.read()).not.toHaveProperty('deadLetters')
    open(
      queuesOf(() => {
        throw new Error('down')
      }, 'letters'),
    )
    expect(await figures.read()).not.toHaveProperty('deadLetters')
  })

  it('ask the queues every other second, and only while they may', async () => {
    let asked = 0
    metrics.setQueues(queuesOf(() => String(++asked), 'live-letters', 'sweep-letters'))
    const pass = async (seconds: number): Promise<void> => {
      for (let second = 0; second < seconds; second++) {
        await figures.read()
        now += 1_000
      }
    }
    await pass(10)
    expect(asked).toBe(2 * 5)
    mayAsk = false
    await pass(10)
    expect(asked).toBe(2 * 5)
    expect(await figures.read()).not.toHaveProperty('deadLetters')
  })

  it('have what each guard does that a person has to act on', async () => {
    const guarded = { acted: { held: 1, refused: 3 }, isBlocked: true }
    metrics.observer.onReconciled?.({ ...WRITTEN, guarded })
    expect((await figures.read()).guards).toEqual([
      { name: 'oversized', label: 'Services too large', count: 0, sinceStart: false },
      { name: 'held', label: 'plans held', count: 1, sinceStart: false },
      { name: 'fights', label: 'fights', count: 0, sinceStart: true },
    ])
  })

  it('list what waits for a person, with the command that answers it', async () => {
    expect(await figures.read()).toMatchObject({ tasks: { tasks: [], more: 0 } })
    const guarded = { acted: { held: 1 }, isBlocked: true }
    for (const key of [KEY, { ...KEY, cluster: 'b' }])
      record.observer.onReconciled?.({ ...WRITTEN, key, guarded })
    metrics.setQueues(queuesOf(() => '7', 'live-letters'))
    record.opened({
      live: { url: 'http://q/live', deadLetterUrl: 'live-letters' },
      sweep: { url: 'http://q/sweep' },
    })
    now += 60_000
    const { tasks } = await figures.read()
    expect(tasks.tasks.map(({ command }) => command)).toEqual([
      'sliceflow release --context a shop/web',
      'sliceflow release --context b shop/web',
      'sliceflow dead-letters list --queue live-letters',
    ])
    mayAsk = false
    expect((await figures.read()).tasks.tasks).toHaveLength(2)
  })

  it('are bounded: two minutes of samples, and the 100 worst clusters', async () => {
    setUp(...Array.from({ length: 130 }, (_, index) => `c${index}`))
    metrics.relay.readFrom(() => [reading('c129', { synced: false })])
    for (let second = 0; second < 150; second++) {
      await figures.read()
      now += 1_000
    }
    expect(figures.samples).toHaveLength(120)
    expect(figures.samples.at(-1)?.at).toBe(now - 1_000)
    const { clusters, hidden } = await figures.read()
    expect([clusters.length, hidden, clusters[0]?.name]).toEqual([100, 30, 'c129'])
  })
})
