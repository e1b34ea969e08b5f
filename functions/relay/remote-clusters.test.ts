import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLogger } from '../../shared/telemetry/index.ts'
import type { ClusterRelay } from './cluster-relay.ts'
import { createRemoteClusters } from './remote-clusters.ts'

const CHECK_MS = 60_000
const signal = new AbortController().signal

describe('clusters of other shards', () => {
  /** Clusters that are followed, once for each relay that follows them. */
  let followed: string[]
  let started: string[]
  let used: string[]
  let lines: { readonly msg: string; readonly cluster: string }[]
  let remoteClusters: ReturnType<typeof createRemoteClusters>

  beforeEach(() => {
    vi.useFakeTimers()
    followed = []
    started = []
    used = []
    lines = []
    remoteClusters = createRemoteClusters({
      start: (cluster) => (cluster === 'own' ? undefined : relayOf(cluster)),
      used: () => used,
      logger: createLogger({ write: (line) => lines.push(JSON.parse(line)) }),
    })
  })
  afterEach(async () => {
    await remoteClusters.stop(signal)
    vi.useRealTimers()
  })

  /** Leaves one key unsent. */
  function relayOf(cluster: string): ClusterRelay {
    followed.push(cluster)
    started.push(cluster)
    return {
      cluster,
      synced: Promise.resolve(),
      suspect: () => undefined,
      reading: () => ({ cluster, synced: true, watches: [], lanes: [] }),
      health: () => ({ cluster, hasSynced: true, isOut: false, watches: [] }),
      stop: async () => {
        followed.splice(followed.indexOf(cluster), 1)
        return 1
      },
      forget: () => undefined,
    }
  }
  const names = (): string[] => [...remoteClusters.relays()].map(({ cluster }) => cluster)

  it('are followed once, however many Services take their pods', () => {
    for (let service = 0; service < 3; service++) remoteClusters.take('b')
    remoteClusters.take('c')
    expect([started, names()]).toEqual([
      ['b', 'c'],
      ['b', 'c'],
    ])
    expect(lines.map(({ cluster }) => cluster)).toEqual(['b', 'c'])
  })

  it('are none where the cluster is of this shard, or not known', () => {
    remoteClusters.take('own')
    expect([started, names(), lines]).toEqual([[], [], []])
  })

  it('are left once no Service takes their pods any more, at the next check of each minute, and others are not', () => {
    used = ['b', 'c']
    remoteClusters.take('b')
    remoteClusters.take('c')
    vi.advanceTimersByTime(10 * CHECK_MS)
    expect(followed).toEqual(['b', 'c'])
    used = ['c']
    vi.advanceTimersByTime(CHECK_MS - 1)
    expect(followed).toEqual(['b', 'c'])
    vi.advanceTimersByTime(1)
    expect([followed, names()]).toEqual([['c'], ['c']])
    expect(lines.at(-1)).toMatchObject({ cluster: 'b', msg: expect.stringContaining('any more') })
  })

  it('are not left where a Service has come back by then', () => {
    used = ['b']
    remoteClusters.take('b')
    used = []
    vi.advanceTimersByTime(CHECK_MS / 2)
    used = ['b']
    vi.advanceTimersByTime(CHECK_MS)
    expect([followed, started]).toEqual([['b'], ['b']])
  })

  it('are watched again by a Service that comes after they were left, time and again', () => {
    for (let time = 1; time <= 3; time++) {
      used = ['b']
      remoteClusters.take('b')
      expect([followed, started.length]).toEqual([['b'], time])
      used = []
      vi.advanceTimersByTime(CHECK_MS)
      expect(followed).toEqual([])
    }
  })

  it('are watched again after they were given back, which reports what was not sent', async () => {
    for (let time = 1; time <= 3; time++) {
      remoteClusters.take('b')
      expect(await remoteClusters.giveBack('b', signal)).toBe(1)
      expect([followed, started.length]).toEqual([[], time])
    }
    expect(await remoteClusters.giveBack('b', signal)).toBe(0)
  })

  it('are all left at the end, and none is followed after it', async () => {
    remoteClusters.take('b')
    remoteClusters.take('c')
    expect(await remoteClusters.stop(signal)).toBe(2)
    remoteClusters.take('d')
    expect([followed, started]).toEqual([[], ['b', 'c']])
    expect(vi.getTimerCount()).toBe(0)
  })
})
