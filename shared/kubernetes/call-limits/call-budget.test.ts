import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createCallBudget, ThrottledError } from '../index.ts'

const action = 'list Pods of cluster east'

describe('a budget of calls', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** Returns the times at which calls begin, in milliseconds from now. */
  function begin(budget: ReturnType<typeof createCallBudget>, calls: number, maxWaitMs?: number): number[] {
    const began = performance.now()
    const times: number[] = []
    for (let call = 0; call < calls; call++) {
      budget.take({ action, ...(maxWaitMs !== undefined && { maxWaitMs }) }).then(
        () => times.push(performance.now() - began),
        () => undefined,
      )
    }
    return times
  }

  it('lets twice its rate go at once, and then goes on at its rate', async () => {
    const budget = createCallBudget({ callsPerSecond: 10 })
    expect(budget.left).toBe(20)
    const times = begin(budget, 25)
    await vi.advanceTimersByTimeAsync(300)
    expect(times.filter((time) => time === 0)).toHaveLength(20)
    expect(times).toHaveLength(23)
    expect(budget.waiting).toBe(2)
    await vi.advanceTimersByTimeAsync(300)
    expect(times).toHaveLength(25)
    expect(budget).toMatchObject({ waiting: 0, left: 1 })
  })

  it('has calls again after a quiet time, whether or not anybody asked how many', async () => {
    const budget = createCallBudget({ callsPerSecond: 2 })
    begin(budget, 4)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(begin(budget, 3)).toEqual([])
    expect(budget.waiting).toBe(1)
    await vi.advanceTimersByTimeAsync(500)
    expect(budget.waiting).toBe(0)
  })

  it('lets a call wait for just as long as its caller allows', async () => {
    const budget = createCallBudget({ callsPerSecond: 1 })
    begin(budget, 2)
    const times = begin(budget, 1, 1_000)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(times).toEqual([1_000])
    await expect(budget.take({ action, maxWaitMs: 999 })).rejects.toThrow(ThrottledError)
  })

  it('has no call left in a pause, and takes one that ends no later for none', async () => {
    const budget = createCallBudget({ callsPerSecond: 10 })
    budget.pause(1_000)
    budget.pause(1_000)
    budget.pause(500)
    expect(budget).toMatchObject({ left: 0, pauses: 1 })
    await vi.advanceTimersByTimeAsync(999)
    expect(budget.left).toBe(0)
    budget.pause(2)
    expect(budget.pauses).toBe(2)
    await vi.advanceTimersByTimeAsync(2 + 100)
    expect(budget.left).toBe(1)
  })

  it('refuses at once what would have to wait longer than its caller allows', async () => {
    const budget = createCallBudget({ callsPerSecond: 1 })
    begin(budget, 2)
    await expect(budget.take({ action, maxWaitMs: 500 })).rejects.toThrow(ThrottledError)
    await expect(budget.take({ action, maxWaitMs: 500 })).rejects.toMatchObject({
      message: expect.stringContaining(action),
      retryAfterSeconds: 1,
    })
    const times = begin(budget, 1)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(times, 'what was refused has used up nothing').toHaveLength(1)
  })

  it('gives back what an aborted call had reserved', async () => {
    const budget = createCallBudget({ callsPerSecond: 1 })
    begin(budget, 2)
    const caller = new AbortController()
    const aborted = budget.take({ action, signal: caller.signal })
    const reason = new Error('the time is over')
    caller.abort(reason)
    await expect(aborted).rejects.toBe(reason)
    await expect(budget.take({ action, signal: caller.signal })).rejects.toBe(reason)
    const times = begin(budget, 1)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(times).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('lets nothing go while it is paused, waiting calls included, and then goes on at its rate', async () => {
    const budget = createCallBudget({ callsPerSecond: 10 })
    const times = begin(budget, 40)
    await vi.advanceTimersByTimeAsync(100)
    expect(times).toHaveLength(21)
    budget.pause(5_000)
    expect(budget).toMatchObject({ left: 0, pauses: 1 })
    await vi.advanceTimersByTimeAsync(5_000)
    expect(times).toHaveLength(21)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(times.length).toBeGreaterThanOrEqual(30)
    expect(times.length).toBeLessThanOrEqual(32)
  })

  it('counts all pauses that a call waits for against its limit', async () => {
    const budget = createCallBudget({ callsPerSecond: 10 })
    budget.pause(1_000)
    const call = budget.take({ action, maxWaitMs: 2_000 })
    const refused = expect(call).rejects.toThrow(ThrottledError)
    await vi.advanceTimersByTimeAsync(500)
    budget.pause(1_500)
    await vi.advanceTimersByTimeAsync(1_000)
    await refused
  })

  it('keeps the longer of two pauses, and none above a minute', async () => {
    const budget = createCallBudget({ callsPerSecond: 10 })
    budget.pause(86_400_000)
    budget.pause(1_000)
    expect(budget.pauses).toBe(1)
    const times = begin(budget, 1)
    await vi.advanceTimersByTimeAsync(59_000)
    expect(times).toEqual([])
    await vi.advanceTimersByTimeAsync(1_200)
    expect(times).toHaveLength(1)
  })

  interface Step {
    readonly calls: number
    readonly maxWaitMs: number
    readonly waitMs: number
    readonly pauseMs: number
  }

  /** Returns the times at which calls began. */
  async function play(
    budget: ReturnType<typeof createCallBudget>,
    steps: readonly Step[],
  ): Promise<number[]> {
    const origin = performance.now()
    const begun: number[] = []
    for (const { calls, maxWaitMs, waitMs, pauseMs } of steps) {
      if (pauseMs > 0) budget.pause(pauseMs)
      const since = performance.now() - origin
      const times = begin(budget, calls, maxWaitMs)
      await vi.advanceTimersByTimeAsync(waitMs)
      // A call that waits for longer than its step is not checked; it is allowed all the same.
      begun.push(...times.map((time) => since + time))
    }
    return begun.toSorted((a, b) => a - b)
  }

  it('never lets more go in any time than its burst and its rate, whatever is asked for', async () => {
    const steps = fc.array(
      fc.record({
        calls: fc.integer({ min: 0, max: 30 }),
        maxWaitMs: fc.constantFrom(0, 300, 5_000),
        waitMs: fc.integer({ min: 0, max: 3_000 }),
        pauseMs: fc.constantFrom(0, 0, 0, 700),
      }),
      { maxLength: 12 },
    )
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 20 }), async (some, callsPerSecond) => {
        const begun = await play(createCallBudget({ callsPerSecond }), some)
        const excess = begun.flatMap((from, first) =>
          begun.slice(first).map((to, more) => more + 1 - callsPerSecond * (2 + (to - from) / 1000)),
        )
        expect(Math.max(0, ...excess)).toBeLessThanOrEqual(1)
      }),
      { numRuns: 100 },
    )
  })
})
