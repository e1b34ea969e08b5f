import { beforeEach, describe, expect, it } from 'vitest'
import type { Change } from './change.ts'
import { createDelayedKey, type DelayedKey } from './delayed-key.ts'
import type { WaitingChange } from './waiting-change.ts'

const WEB = { cluster: 'a', namespace: 'shop', service: 'web' }
const of = (pods: readonly string[] | undefined, more: Partial<Change> = {}): WaitingChange => ({
  change: { ...WEB, ...(pods && { pods }), ...more },
  since: 0,
})
const deferrable = (...pods: string[]): WaitingChange => of(pods, { deferrable: true })
const REST = { minMs: 100, maxMs: 300, deferrableMs: 1_000 }

describe('a key that rests', () => {
  let timers: Map<object, { readonly callback: () => void; readonly ms: number }>
  let due: number
  let key: DelayedKey

  /** Ends the timer of so many milliseconds. */
  function end(ms: number): void {
    const [timer, { callback }] =
      [...timers].find(([, each]) => each.ms === ms) ?? expect.fail(`none of ${ms}`)
    timers.delete(timer)
    callback()
  }
  const running = (): number[] => [...timers.values()].map(({ ms }) => ms).sort((a, b) => a - b)

  beforeEach(() => {
    timers = new Map()
    due = 0
    key = createDelayedKey(() => due++, {
      set(callback, ms) {
        const timer = {}
        timers.set(timer, { callback, ms })
        return timer
      },
      clear: (timer) => void timers.delete(timer as object),
    })
  })

  it('rests by one clock, however often it is handed out', () => {
    key.rest(REST)
    key.rest(REST)
    expect(running()).toEqual([100])
    end(100)
    key.rest(REST)
    expect(running()).toEqual([100])
    expect(due).toBe(0)
  })

  it('rests until it was written once it has lasted as long as it must', () => {
    key.rest(REST)
    end(100)
    expect([running(), due]).toEqual([[200], 0])
    key.written()
    expect([running(), due, key.isQuiet]).toEqual([[], 1, true])
    key.written()
    expect(due).toBe(1)
  })

  it('does not rest where it need not, and what was resting rests no more', () => {
    key.rest(REST)
    key.rest({ minMs: 0, maxMs: 0 })
    expect([running(), key.isQuiet]).toEqual([[], true])
  })

  it('is written anew for each rest', () => {
    key.rest(REST)
    key.written()
    end(100)
    expect(due).toBe(1)
    key.rest(REST)
    end(100)
    expect([running(), due]).toEqual([[200], 1])
  })

  it('rests for patient changes by a clock of their own, if it has one', () => {
    key.deferLowPriority()
    expect(running()).toEqual([])
    key.rest(REST)
    key.deferLowPriority()
    key.deferLowPriority()
    expect(running()).toEqual([100, 1_000])
    end(1_000)
    expect([due, running()]).toEqual([1, [100]])
  })

  it('takes any change of a Pod that waits already for urgent', () => {
    key.rest(REST)
    key.deferLowPriority()
    key.add(deferrable('p', 'q'))
    key.add(deferrable('q', 'r'))
    end(100)
    key.written()
    expect(key.take()?.change.pods).toEqual(['q', 'r'])
    expect(key.waiting()).toEqual([deferrable('p', 'q')])
  })

  it('takes all patient changes for urgent as long as it has no clock for them', () => {
    key.add(deferrable('p'))
    key.deferLowPriority()
    expect(key.take()?.change.pods).toEqual(['p'])
  })

  describe('covers patient changes', () => {
    beforeEach(() => {
      key.rest(REST)
      key.deferLowPriority()
      key.add(deferrable('p', 'q'))
    })

    it('of the Pods that are looked at, and leaves the others', () => {
      expect(key.cover(of(['q', 'r'])).change.pods).toEqual(['q', 'r'])
      expect(key.waiting()).toEqual([deferrable('p')])
      expect(key.cover(of(['p'])).change.pods).toEqual(['p'])
      expect(key.waiting()).toEqual([])
    })

    it('not at all where others are looked at', () => {
      const taken = of(['r'])
      expect(key.cover(taken)).toBe(taken)
      expect(key.waiting()).toEqual([deferrable('p', 'q')])
    })

    it('all where the whole Service is looked at', () => {
      expect(key.cover(of(undefined)).change.pods).toBeUndefined()
      expect(key.waiting()).toEqual([])
      const taken = of(undefined)
      expect(key.cover(taken)).toBe(taken)
    })

    it('of the whole Service not at all where single Pods are looked at', () => {
      key.add(of(undefined, { deferrable: true }))
      const taken = of(['p'])
      expect(key.cover(taken)).toBe(taken)
      expect(key.waiting()).toHaveLength(1)
    })
  })

  it('gives all at the end, and leaves no clock running', () => {
    key.rest(REST)
    key.deferLowPriority()
    key.add(deferrable('p'))
    key.add(of(['q']))
    expect(key.take()).toBeUndefined()
    expect(key.take(true)?.change.pods).toEqual(['q', 'p'])
    expect([running(), key.isQuiet]).toEqual([[], true])
  })

  it('is not quiet while something waits or rests', () => {
    expect(key.isQuiet).toBe(true)
    key.add(of(['q']))
    expect(key.isQuiet).toBe(false)
    key.take()
    key.rest(REST)
    expect(key.isQuiet).toBe(false)
  })
})
