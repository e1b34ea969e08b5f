import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ConnectionError, SilentServerError } from '../errors/errors.ts'
import { createHeartbeat, PING_TIMEOUT_MS } from './heartbeat.ts'

describe('a server', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const unanswered = async (): Promise<never> => {
    await new Promise((resolve) => setTimeout(resolve, PING_TIMEOUT_MS))
    throw new ConnectionError('failed to ask: no whole answer', 'ETIMEDOUT')
  }

  it('that answers nothing is silent after 45 s, for all watches at once, by one request', async () => {
    const ping = vi.fn(unanswered)
    const [onSilence, first, second] = [vi.fn(), vi.fn(), vi.fn()]
    const heartbeat = createHeartbeat({ cluster: 'a', ping, onSilence })
    for (const end of [first, second]) heartbeat.watch(end)
    await vi.advanceTimersByTimeAsync(44_999)
    expect([ping.mock.calls.length, first.mock.calls.length]).toEqual([1, 0])
    await vi.advanceTimersByTimeAsync(1)
    for (const end of [first, second, onSilence])
      expect(end).toHaveBeenCalledExactlyOnceWith(expect.any(SilentServerError))
    expect(first.mock.calls[0]?.[0]).toMatchObject({
      silentMs: 45_000,
      message: expect.stringMatching(
        /^cluster a has been silent for 45 s, and did not answer a request either: /,
      ),
    })
    await vi.advanceTimersByTimeAsync(600_000)
    expect(ping).toHaveBeenCalledTimes(1)
  })

  it('is asked twice a minute while its watches say nothing, and not at all while one of them speaks', async () => {
    const ping = vi.fn(async () => undefined)
    const end = vi.fn()
    const heartbeat = createHeartbeat({ cluster: 'a', ping })
    const [quiet, speaking] = [heartbeat.watch(end), heartbeat.watch(end)]
    await vi.advanceTimersByTimeAsync(600_000)
    expect(ping).toHaveBeenCalledTimes(20)
    for (let second = 0; second < 600; second += 29) {
      speaking.heard()
      await vi.advanceTimersByTimeAsync(29_000)
    }
    expect(ping).toHaveBeenCalledTimes(20)
    quiet.ended()
    speaking.ended()
    await vi.advanceTimersByTimeAsync(600_000)
    expect(ping).toHaveBeenCalledTimes(20)
    expect(end).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })

  it.each([
    ['refuses connections', new ConnectionError('failed to ask', 'ECONNREFUSED')],
    ['cannot be asked for want of credentials', new Error('log in first')],
  ])('that %s is not silent, and is asked again', async (_, problem) => {
    const ping = vi.fn(() => Promise.reject(problem))
    const end = vi.fn()
    createHeartbeat({ cluster: 'a', ping }).watch(end)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(ping).toHaveBeenCalledTimes(2)
    expect(end).not.toHaveBeenCalled()
  })

  it('is silent for a watch that begins while it is asked, too', async () => {
    const heartbeat = createHeartbeat({ cluster: 'a', ping: unanswered })
    const [first, late] = [vi.fn(), vi.fn()]
    const guarded = heartbeat.watch(first)
    await vi.advanceTimersByTimeAsync(31_000)
    guarded.ended()
    heartbeat.watch(late)
    await vi.advanceTimersByTimeAsync(14_000)
    expect(late).toHaveBeenCalledTimes(1)
    expect(first).not.toHaveBeenCalled()
  })

  it('that is silent again is noticed again', async () => {
    const heartbeat = createHeartbeat({ cluster: 'a', ping: unanswered })
    for (let time = 0; time < 2; time++) {
      const end = vi.fn()
      heartbeat.watch(end)
      await vi.advanceTimersByTimeAsync(45_000)
      expect(end).toHaveBeenCalledTimes(1)
    }
  })
})
