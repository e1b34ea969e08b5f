import { describe, expect, it, vi } from 'vitest'
import { CircuitOpenError, createCircuitBreaker } from '../index.ts'

const action = 'get Service shop/cart of cluster east'
const down = new Error('ECONNREFUSED at 10.0.0.1')

function setUp() {
  const clock = { ms: 0 }
  const onChange = vi.fn()
  const breaker = createCircuitBreaker({ cluster: 'east', failures: 3, onChange, now: () => clock.ms })
  const fail = (): unknown => breaker.admit(action).failed(down)
  const open = (): void => {
    for (let call = 0; call < 3; call++) fail()
  }
  return { breaker, clock, onChange, fail, open }
}

describe('a circuit breaker', () => {
  it('opens after failures in a row, an answer in between starting the row again', () => {
    const { breaker, fail, onChange } = setUp()
    expect([fail(), fail()]).toEqual([down, down])
    breaker.admit(action).answered()
    expect([fail(), fail()]).toEqual([down, down])
    expect(breaker.state).toBe('closed')
    expect(fail()).toBeInstanceOf(CircuitOpenError)
    expect(breaker.state).toBe('open')
    expect(onChange.mock.calls).toEqual([['open', down]])
  })

  it('refuses calls while it is open, saying when to ask again and what was wrong', () => {
    const { breaker, clock, open } = setUp()
    open()
    clock.ms = 400
    expect(() => breaker.admit(action)).toThrow(
      'failed to get Service shop/cart of cluster east: cluster east did not answer 3 times in a row; it is tried again in 1 s; last error: ECONNREFUSED at 10.0.0.1',
    )
    expect(() => breaker.admit(action)).toThrow(
      expect.objectContaining({ retryAfterSeconds: 0.6, cause: down }),
    )
  })

  it('then lets one call through, and closes when that is answered', () => {
    const { breaker, clock, open, onChange } = setUp()
    open()
    clock.ms = 1_000
    const probe = breaker.admit(action)
    expect(breaker.state).toBe('half-open')
    expect(() => breaker.admit(action)).toThrow(CircuitOpenError)
    expect(() => breaker.admit(action)).toThrow(expect.objectContaining({ retryAfterSeconds: 1 }))
    probe.answered()
    expect(breaker.state).toBe('closed')
    expect(onChange.mock.calls.map(([state]) => state)).toEqual(['open', 'closed'])
    breaker.admit(action).answered()
  })

  it('stays open twice as long after each probe that fails, up to a bound, and reports it once', () => {
    const { breaker, clock, open, onChange, fail } = setUp()
    open()
    for (const openMs of [1_000, 2_000, 4_000, 8_000, 10_000, 10_000]) {
      clock.ms += openMs - 1
      expect(() => breaker.admit(action)).toThrow(CircuitOpenError)
      clock.ms += 1
      expect(fail()).toBeInstanceOf(CircuitOpenError)
    }
    expect(onChange).toHaveBeenCalledOnce()
  })

  it('opens for a short time again once it was closed', () => {
    const { breaker, clock, open, fail } = setUp()
    open()
    clock.ms = 1_000
    fail()
    clock.ms = 3_000
    breaker.admit(action).answered()
    open()
    clock.ms = 4_000
    breaker.admit(action).answered()
    expect(breaker.state).toBe('closed')
  })

  it('lets another call through at once when the probe was given up, or after a while when it never ends', () => {
    const { breaker, clock, open } = setUp()
    open()
    clock.ms = 1_000
    breaker.admit(action).abandoned()
    const hanging = breaker.admit(action)
    clock.ms = 10_999
    expect(() => breaker.admit(action)).toThrow(CircuitOpenError)
    clock.ms = 11_000
    breaker.admit(action).answered()
    hanging.abandoned()
    expect(breaker.state).toBe('closed')
    expect(hanging.failed(down)).toBe(down)
    expect(breaker.state).toBe('closed')
  })

  it('does not stay open for longer because of calls that were under way when it opened', () => {
    const { breaker, clock, open } = setUp()
    const underWay = Array.from({ length: 20 }, () => breaker.admit(action))
    open()
    clock.ms = 900
    for (const call of underWay) expect(call.failed(down)).toBeInstanceOf(CircuitOpenError)
    clock.ms = 1_000
    breaker.admit(action).answered()
    expect(breaker.state).toBe('closed')
  })
})
