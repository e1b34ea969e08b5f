import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiError, ConnectionError } from '../../kubernetes/index.ts'
import { type ClusterCallLimits, limitClusterCalls } from './cluster-call-limits.ts'

const CALL = { action: 'list Pods of cluster east' }
const refused = new ConnectionError('failed to list Pods of cluster east', 'ECONNREFUSED')
const busy = (retryAfterSeconds: number): ApiError => new ApiError('busy', 429, {}, retryAfterSeconds)

function setUp({ apiCallsPerSecond = 10, functionTimeout = 60 } = {}) {
  const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
  const limited = limitClusterCalls({
    cluster: 'east',
    settings: { apiCallsPerSecond, functionTimeout },
    logger,
  })
  return { logger, limited }
}

/** Makes one call and tells how it ended. */
const call = (
  limited: ClusterCallLimits,
  by: 'forFunction' | 'forRelay',
  send: () => Promise<unknown> = async () => 'answer',
): Promise<unknown> =>
  limited[by].limiter?.(CALL, send).catch((error: unknown) => error) ?? expect.fail('there is no limiter')
const fail = (error: Error) => (): Promise<never> => Promise.reject(error)

describe('the calls to one cluster', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it.each([
    [60, 15_000],
    [900, 15_000],
    [20, 5_000],
  ])('of a function that has %i s are given up after %i ms', (functionTimeout, timeoutMs) => {
    expect(setUp({ functionTimeout }).limited.forFunction.timeoutMs).toBe(timeoutMs)
  })

  it('are reported from the start: none waits, and all may go out', () => {
    expect(setUp().limited.read()).toEqual({ cluster: 'east', circuit: 0, waiting: 0, left: 20, pauses: 0 })
  })

  it('count each time that the cluster asks to wait, whoever called', async () => {
    const { limited } = setUp()
    await call(limited, 'forFunction', fail(busy(30)))
    expect(limited.read()).toMatchObject({ pauses: 1, left: 0, circuit: 0 })
    await vi.advanceTimersByTimeAsync(30_000)
    void call(limited, 'forRelay', fail(busy(30)))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(limited.read()).toMatchObject({ pauses: 2, left: 0 })
  })

  it('of a function fail where they would wait for more than two seconds; those of a relay wait', async () => {
    const { limited } = setUp()
    await call(limited, 'forFunction', fail(busy(2.5)))
    const send = vi.fn(async () => 'answer')
    expect(await call(limited, 'forFunction', send)).toMatchObject({ name: 'ThrottledError' })
    expect(send).not.toHaveBeenCalled()

    const waited = call(limited, 'forRelay', send)
    await vi.advanceTimersByTimeAsync(0)
    expect(limited.read().waiting).toBe(1)
    await vi.advanceTimersByTimeAsync(3_000)
    expect(await waited).toBe('answer')
    expect(limited.read().waiting).toBe(0)
  })

  it('of a function end at once where the server was silent to the watches of the relay', async () => {
    const { limited, logger } = setUp()
    limited.forRelay.onSilence?.(refused)
    expect(limited.read().circuit).toBe(2)
    expect(await call(limited, 'forFunction')).toMatchObject({
      name: 'CircuitOpenError',
      message: expect.stringMatching(/cluster east did not answer; it is tried again in 1 s; last error: /),
    })
    expect(logger.warn).toHaveBeenCalledTimes(1)
    limited.forRelay.onSilence?.(refused)
    expect(logger.warn).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await call(limited, 'forFunction')).toBe('answer')
    expect(limited.read().circuit).toBe(0)
  })

  it('of a function end after five without an answer, until one is answered; those of a relay go on', async () => {
    const { limited, logger } = setUp()
    for (let outage = 1; outage <= 2; outage++) {
      for (let failures = 0; failures < 5; failures++) await call(limited, 'forFunction', fail(refused))
      expect(limited.read().circuit).toBe(2)
      expect(await call(limited, 'forFunction')).toMatchObject({ name: 'CircuitOpenError' })
      expect(await call(limited, 'forRelay')).toBe('answer')
      expect(limited.read().circuit).toBe(2)

      await vi.advanceTimersByTimeAsync(1_000)
      const answer = Promise.withResolvers<unknown>()
      const probe = call(limited, 'forFunction', () => answer.promise)
      await vi.advanceTimersByTimeAsync(0)
      expect(limited.read().circuit).toBe(1)
      answer.resolve('answer')
      await probe
      expect(limited.read().circuit).toBe(0)
      expect([logger.warn, logger.info].map(({ mock }) => mock.calls.length)).toEqual([outage, outage])
    }
    expect(logger.warn.mock.lastCall).toEqual([
      { cluster: 'east', err: refused },
      'the cluster does not answer: its keys wait until it does again',
    ])
  })
})
