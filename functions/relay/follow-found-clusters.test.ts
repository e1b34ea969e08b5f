import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createApiClient } from '../../shared/kubernetes/index.ts'
import { createLogger } from '../../shared/telemetry/index.ts'
import { type FollowFoundOptions, followFoundClusters } from './follow-found-clusters.ts'
import { settle } from './relay.fixtures.ts'

const MINUTE = 60_000

describe('a search for clusters, again and again', () => {
  let ending: AbortController
  /** Names of the clusters that a search finds, or its failure. */
  let found: readonly string[] | Error
  let beforeAnswer: () => void
  let relayed: readonly string[]
  let follows: AbortSignal[]
  let reported: unknown[]

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    ending = new AbortController()
    onTestFinished(() => ending.abort())
    found = ['a']
    beforeAnswer = () => undefined
    relayed = ['a']
    follows = []
    reported = []
  })

  function start(): void {
    const credentials = async () => ({ headers: {} })
    const clusters: FollowFoundOptions['clusters'] = {
      async refresh() {
        beforeAnswer()
        if (found instanceof Error) throw found
        return found.map((name) =>
          createApiClient({ name, server: new URL('https://127.0.0.1:9'), credentials }),
        )
      },
      problems: () => ({ unsearched: [], ambiguous: new Map() }),
      ...{ meetAll: async () => undefined, known: () => [] },
      ...{ meet: async () => undefined, find: () => undefined, has: () => false },
      ...{ names: () => [], close: () => undefined },
    }
    const relay: FollowFoundOptions['relay'] = {
      get clusters() {
        return relayed
      },
      async follow(clients, signal) {
        follows.push(signal)
        relayed = clients.map(({ cluster }) => cluster)
      },
    }
    const logger = createLogger({
      write(line) {
        const { level, clusters: named } = JSON.parse(line)
        reported.push(level === 'error' ? 'error' : named)
      },
    })
    void followFoundClusters({ clusters, relay, logger, intervalMs: MINUTE, signal: ending.signal })
  }
  async function pass(ms: number): Promise<void> {
    vi.advanceTimersByTime(ms)
    await settle()
  }

  it('reports what came or went, and nothing without a change', async () => {
    start()
    await pass(2 * MINUTE)
    await pass(MINUTE)
    expect([follows.length > 1, reported]).toEqual([true, []])
    found = ['a', 'b']
    await pass(MINUTE)
    found = []
    await pass(MINUTE)
    expect(reported).toEqual(['a, b', ''])
  })

  it('goes on with those of before where it fails, and says so', async () => {
    start()
    found = new Error('throttled')
    await pass(MINUTE)
    expect([relayed, follows.length, reported]).toEqual([['a'], 0, ['error']])
    found = ['b']
    await pass(MINUTE)
    expect([relayed, reported]).toEqual([['b'], ['error', 'b']])
  })

  it('changes nothing any more once the relay ends', async () => {
    start()
    beforeAnswer = () => ending.abort()
    found = ['b']
    await pass(MINUTE)
    expect([relayed, follows.length]).toEqual([['a'], 0])
    await pass(10 * MINUTE)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('has no cluster that went wait for longer than the relay runs', async () => {
    start()
    await pass(MINUTE)
    expect(follows.map(({ aborted }) => aborted)).toEqual([false])
    ending.abort()
    expect(follows.map(({ aborted }) => aborted)).toEqual([true])
  })
})
