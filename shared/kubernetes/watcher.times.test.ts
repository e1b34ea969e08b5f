import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Pod } from '../endpointslice/index.ts'
import {
  ApiError,
  type ApiObject,
  ConnectionError,
  createApiClient,
  ExpiredError,
  PODS,
  runWatcher,
  sleepUnlessAborted,
  type WatchEvent,
  type WatchOptions,
} from './index.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND

type Events = AsyncGenerator<WatchEvent<Pod>>
/** Behaviour of one watch. */
type Script = (options: WatchOptions) => Events

const bookmark = (resourceVersion: string): WatchEvent<Pod> => ({
  type: 'BOOKMARK',
  object: { metadata: { resourceVersion } },
})
const added = (resourceVersion: string): WatchEvent<Pod> => ({
  type: 'ADDED',
  object: { metadata: { name: 'p', resourceVersion } },
})

async function pass(ms: number, { signal }: WatchOptions): Promise<void> {
  if (!(await sleepUnlessAborted(ms, signal))) throw signal?.reason
}
const afterwards = (ms: number, ...events: WatchEvent<Pod>[]): Script =>
  async function* (options) {
    await pass(ms, options)
    yield* events
  }
const failing = (ms: number, error: Error, ...events: WatchEvent<Pod>[]): Script =>
  async function* (options) {
    yield* events
    await pass(ms, options)
    throw error
  }
/** Says nothing (more) until it is given up, as `readWatch` does. */
const silent = (...events: WatchEvent<Pod>[]): Script =>
  async function* (options) {
    yield* events
    await pass(options.inactivityMs, options)
    throw new ConnectionError('silent', 'ESILENT')
  }
/** Sends a bookmark a minute, without end. */
const healthy: Script = async function* (options) {
  for (;;) {
    await pass(MINUTE, options)
    yield bookmark('10')
  }
}
const reset = new ConnectionError('reset', 'ECONNRESET')

describe('a watcher, by the times of production', () => {
  let stop: AbortController
  let ended: Promise<void>
  let reported: string[]
  /** Errors that `list` throws, one a call; then it lists. */
  let refusals: Error[]
  let watches: Script[]
  /** Times at which each list and watch began, in milliseconds. */
  let lists: number[]
  let opened: { at: number; options: WatchOptions }[]
  let newestVersion: string

  beforeEach(() => {
    vi.useFakeTimers()
    stop = new AbortController()
    reported = []
    refusals = []
    watches = []
    lists = []
    opened = []
    newestVersion = '10'
  })
  afterEach(async () => {
    stop.abort()
    await ended
    vi.restoreAllMocks()
    vi.useRealTimers()
  })

  function start(): void {
    const connection = {
      name: 'scripted',
      server: new URL('https://127.0.0.1:9'),
      credentials: async () => ({ headers: {} }),
    }
    const client = {
      ...createApiClient(connection),
      async *pages<T extends ApiObject>(_: unknown, { limit }: { readonly limit?: number } = {}) {
        if (limit !== 1) lists.push(performance.now())
        const refusal = limit === 1 ? undefined : refusals.shift()
        if (refusal !== undefined) throw refusal
        yield { items: [] as T[], metadata: { resourceVersion: newestVersion } }
      },
      async watch<T extends ApiObject>(_: unknown, options: WatchOptions) {
        opened.push({ at: performance.now(), options })
        return (watches.shift() ?? healthy)(options) as AsyncGenerator<WatchEvent<T>>
      },
    }
    ended = runWatcher<Pod>(client, {
      resource: PODS,
      signal: stop.signal,
      handler: {
        listing: () => undefined,
        object: () => undefined,
        listed: () => void reported.push('listed'),
        changed: () => void reported.push('changed'),
        deleted: () => undefined,
        failed: (_, retryMs) => void reported.push(`failed, again in ${retryMs}`),
        recovered: () => void reported.push('recovered'),
      },
    })
  }
  const times = (count: number, script: Script): Script[] => Array.from({ length: count }, () => script)
  const gaps = (moments: readonly number[]): number[] =>
    moments.slice(1).map((at, index) => at - (moments[index] ?? 0))

  it('asks for watches of 290 s to 350 s, and takes 80 s of silence for their end', async () => {
    watches = times(20, afterwards(5 * MINUTE))
    start()
    await vi.advanceTimersByTimeAsync(90 * MINUTE)
    const seconds = opened.map(({ options }) => options.timeoutSeconds)
    expect(Math.min(...seconds)).toBeGreaterThanOrEqual(290)
    expect(Math.max(...seconds)).toBeLessThanOrEqual(350)
    expect(new Set(seconds).size).toBeGreaterThan(5)
    for (const { options } of opened) expect(options.inactivityMs).toBe(80 * SECOND)
  })

  it('never lists again for watches that the server ended in their time, with nothing in them', async () => {
    watches = times(20, afterwards(5 * MINUTE))
    start()
    await vi.advanceTimersByTimeAsync(120 * MINUTE)
    expect(opened.length).toBeGreaterThan(20)
    expect(reported).toEqual(['listed'])
  })

  it('opens the next watch at once where one has ended in its time, and where it had something in it', async () => {
    watches = [...times(3, afterwards(5 * MINUTE)), ...times(3, afterwards(10, added('11')))]
    start()
    await vi.advanceTimersByTimeAsync(16 * MINUTE)
    expect(gaps(opened.map(({ at }) => at))).toEqual([
      ...[5 * MINUTE, 5 * MINUTE, 5 * MINUTE],
      ...[10, 10, 10],
    ])
  })

  it.each([
    ['five of less than a second in a row', [900, 900, 900, 900, 900], 2],
    ['four, one that lived for longer, and four', [900, 900, 900, 900, 1_100, 900, 900, 900, 900], 1],
  ])('takes watches that were closed at once for expiry: %s', async (_, lives, count) => {
    watches = lives.map((ms) => afterwards(ms))
    start()
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(opened).toHaveLength(lives.length + 1)
    expect(lists).toHaveLength(count)
  })

  it('lists again after two silences in a row, and not after one that came with a break between', async () => {
    watches = [silent(), failing(2 * SECOND, reset), silent(), silent()]
    start()
    await vi.advanceTimersByTimeAsync(80 * SECOND + 80 * SECOND + 20 * SECOND)
    expect(reported.filter((what) => what === 'listed')).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    expect(reported.filter((what) => what === 'listed')).toHaveLength(2)
  })

  it('counts silences again after the list that they made', async () => {
    watches = [silent(), silent(), silent(), healthy]
    start()
    await vi.advanceTimersByTimeAsync(30 * MINUTE)
    expect(lists).toHaveLength(2)
    expect(opened).toHaveLength(4)
  })

  it('lists a server without bookmarks again every three minutes, and calls none of it a failure', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    watches = times(8, silent())
    start()
    await vi.advanceTimersByTimeAsync(4 * 160 * SECOND + SECOND)
    expect(reported).toEqual(['listed', 'listed', 'listed', 'listed', 'listed'])
  })

  it('calls each silence of a server with bookmarks a failure, and each watch after it a recovery', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    watches = [silent(bookmark('10')), silent(bookmark('10')), silent(bookmark('10'))]
    start()
    await vi.advanceTimersByTimeAsync(30 * MINUTE)
    const failure = ['failed, again in 0', 'recovered']
    expect(reported).toEqual(['listed', ...failure, ...failure, ...failure])
  })

  it('does not take breaks of watches that had lived for expiry, however many', async () => {
    watches = times(12, failing(MINUTE, reset))
    start()
    await vi.advanceTimersByTimeAsync(20 * MINUTE)
    expect(opened).toHaveLength(13)
    expect(lists).toHaveLength(1)
  })

  it('tries a refused list after 0.5 s, then twice as long, up to 10 s', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1)
    refusals = Array.from({ length: 8 }, () => new ApiError('no', 500, {}))
    start()
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    expect(gaps(lists)).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000])
    expect(reported.slice(-2)).toEqual(['listed', 'recovered'])
    expect(reported.filter((what) => what === 'recovered')).toHaveLength(1)
  })

  it.each([
    ['an object', (at: string) => failing(10, reset, added(at))],
    [
      'a bookmark of a watch that lived',
      () =>
        async function* (options: WatchOptions): Events {
          await pass(MINUTE, options)
          yield bookmark('10')
          throw reset
        },
    ],
  ])('tries again soon each time when there was %s in between', async (_, scriptOf) => {
    vi.spyOn(Math, 'random').mockReturnValue(1)
    watches = Array.from({ length: 10 }, (_each, index) => scriptOf(String(11 + index)))
    start()
    await vi.advanceTimersByTimeAsync(15 * MINUTE)
    const failures = reported.filter((what) => what.startsWith('failed'))
    expect(failures).toEqual(Array(10).fill('failed, again in 500'))
  })

  it.each([
    ['an end', (at: string) => afterwards(1, bookmark(at))],
    ['an error', (at: string) => failing(1, new ApiError('no', 500, {}), bookmark(at))],
  ])('backs off from a server that ends each watch after one bookmark, by %s', async (_, scriptOf) => {
    vi.spyOn(Math, 'random').mockReturnValue(1)
    watches = Array.from({ length: 7 }, (_each, index) => scriptOf(String(11 + index)))
    start()
    newestVersion = '1000'
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(gaps(opened.map(({ at }) => at))).toEqual([501, 1001, 2001, 4001, 8001, 10_001, 10_001])
    expect(opened.at(-1)?.options.resourceVersion).toBe('17')
    expect(lists).toHaveLength(1)
  })

  it('waits as long as a server asks for, but no longer than two minutes', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1)
    refusals = [new ApiError('later', 429, {}, 7), new ApiError('much later', 503, {}, 86_400)]
    start()
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    expect(gaps(lists)).toEqual([7 * SECOND, 120 * SECOND])
  })

  it('lists once where the server says so, and watches from that list', async () => {
    watches = [failing(MINUTE, new ExpiredError('too old', 410, {}), added('11'))]
    newestVersion = '12'
    start()
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    expect(reported).toEqual(['listed', 'changed', 'listed'])
    expect(opened.map(({ options }) => options.resourceVersion)).toEqual(['12', '12'])
  })

  it('does not list again where a server comes back with the version that it had', async () => {
    watches = [failing(MINUTE, reset, added('50'))]
    start()
    newestVersion = '50'
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    expect(lists).toHaveLength(1)
    expect(opened.map(({ options }) => options.resourceVersion)).toEqual(['10', '50'])
  })
})
