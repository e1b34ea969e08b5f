import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { type ApiClient, PODS, SERVICES } from '../../kubernetes/index.ts'
import { parseSettings } from '../../settings/index.ts'
import { SILENT_LOG } from '../../telemetry/index.ts'
import { createMemoryCluster, KEY, webService } from '../memory-cluster.fixtures.ts'
import { createReconciler } from '../reconcile-service.ts'
import { LongListLimit, type LongListPlace } from './long-list-limit.ts'

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

function setUp() {
  const syncs = new LongListLimit()
  const taken: string[] = []
  const { signal } = new AbortController()
  const take = (name: string, at: AbortSignal = signal): LongListPlace => {
    const sync = syncs.open(name.split(' ')[0] ?? '', at)
    sync.take().then(
      () => taken.push(name),
      () => taken.push(`${name} gave up`),
    )
    return sync
  }
  return { take, taken }
}

/**
 * Returns the client of a cluster whose lists of pods, if large, have a second page that comes when the gate
 * opens.
 */
function withPages(isLarge: boolean, gate: Promise<void>, onPage: () => void): ApiClient {
  const memory = createMemoryCluster()
  memory.put(SERVICES, webService({ selector: { app: 'web' } }))
  const list: ApiClient['list'] = async (resource, options = {}) => {
    if (resource.plural === PODS.plural && isLarge) {
      await options.beforeMore?.()
      onPage()
      await gate
    }
    return memory.client.list(resource, options)
  }
  return { ...memory.client, list }
}

it('a batch reads beyond the first page of 8 large Services at once, and small ones wait for none of them', async () => {
  const gate = Promise.withResolvers<void>()
  let pages = 0
  const clients = new Map(
    Array.from({ length: 13 }, (_, index) => [
      `cluster-${index}`,
      withPages(index < 12, gate.promise, () => pages++),
    ]),
  )
  const done: string[] = []
  const reconcile = createReconciler({
    clientOf: (cluster) => clients.get(cluster) ?? expect.fail(cluster),
    settings: parseSettings({ mode: 'replace' }),
    logger: SILENT_LOG,
    onReconciled: ({ key }) => done.push(key.cluster),
  })
  const { signal } = new AbortController()
  const keys = [...clients.keys()].map((cluster) =>
    reconcile({ ...KEY, cluster, messageIds: [] }, { signal, sentTimestamp: 0, receiveCount: 1 }),
  )
  await expect.poll(() => [pages, done]).toEqual([8, ['cluster-12']])
  gate.resolve()
  await Promise.all(keys)
  expect(done).toHaveLength(13)
})

describe('large syncs', () => {
  it('are 8 at once over all clusters, and each that ends lets the next one begin', async () => {
    const { take, taken } = setUp()
    const syncs = Array.from({ length: 10 }, (_, index) => take(`cluster-${index}`))
    await settle()
    expect(taken).toEqual(Array.from({ length: 8 }, (_, index) => `cluster-${index}`))
    syncs[5]?.[Symbol.dispose]()
    await settle()
    expect(taken.slice(8)).toEqual(['cluster-8'])
  })

  it('are 2 of a cluster at once, so that one that hangs leaves places for others', async () => {
    const { take, taken } = setUp()
    for (let index = 0; index < 8; index++) take(`hanging ${index}`)
    take('well 0')
    await settle()
    expect(taken).toEqual(['hanging 0', 'hanging 1', 'well 0'])
  })

  it('that give up throw the reason, and their place goes to others', async () => {
    const { take, taken } = setUp()
    const first = take('blue 0')
    take('blue 1')
    const controller = new AbortController()
    const waiting = take('blue 2', controller.signal)
    take('blue 3')
    await settle()
    const reason = new Error('the time is over')
    controller.abort(reason)
    await expect(waiting.take()).rejects.toBe(reason)
    waiting[Symbol.dispose]()
    first[Symbol.dispose]()
    await settle()
    expect(taken).toEqual(['blue 0', 'blue 1', 'blue 2 gave up', 'blue 3'])
  })

  it('throw the reason at once where it is given before they ask', async () => {
    const { take, taken } = setUp()
    const reason = new Error('the time is over')
    await expect(take('blue 0', AbortSignal.abort(reason)).take()).rejects.toBe(reason)
    expect(taken).toEqual(['blue 0 gave up'])
  })

  it('leave nothing at the signal of their batch, which outlives them', async () => {
    const { take } = setUp()
    const { signal } = new AbortController()
    await take('blue 0', signal).take()
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})
