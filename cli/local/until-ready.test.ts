import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RelayHealth } from '../../functions/relay/index.ts'
import { untilReady } from './local.ts'

const health = (isReady: boolean, ...unreachable: readonly string[]): RelayHealth => ({
  live: { ok: true, reason: 'ok' },
  ready: { ok: isReady, reason: 'so it is' },
  unreachable,
})

describe('a run is ready', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const never = new Promise<void>(() => undefined)
  const { signal } = new AbortController()

  it('at once when every cluster was listed, with none missing', async () => {
    const synced = Promise.withResolvers<void>()
    const ready = untilReady({ synced: synced.promise, health: () => health(false) }, signal)
    synced.resolve()
    expect(await ready).toEqual([])
  })

  it('without the clusters that cannot be reached, once it is known that they cannot', async () => {
    let current = health(false)
    const reported = vi.fn()
    void untilReady({ synced: never, health: () => current }, signal).then(reported)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(reported).not.toHaveBeenCalled()
    current = health(true, 'us-1')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(reported).toHaveBeenCalledExactlyOnceWith(['us-1'])
  })

  it('not while no cluster at all was listed', async () => {
    const reported = vi.fn()
    void untilReady({ synced: never, health: () => health(false, 'eu-1', 'us-1') }, signal).then(reported)
    await vi.advanceTimersByTimeAsync(600_000)
    expect(reported).not.toHaveBeenCalled()
  })

  it('never once it is to end', async () => {
    const ending = new AbortController()
    let asked = 0
    const reported = vi.fn()
    const read = (): RelayHealth => {
      asked++
      return health(asked > 1, 'us-1')
    }
    void untilReady({ synced: never, health: read }, ending.signal).then(reported)
    ending.abort()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(reported).not.toHaveBeenCalled()
  })
})
