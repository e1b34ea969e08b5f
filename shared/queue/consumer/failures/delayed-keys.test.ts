import { describe, expect, it } from 'vitest'
import { createDelayedKeys, type DelayedMessage } from './delayed-keys.ts'

const START = Date.UTC(2026, 0, 1)

const message = (messageId: string, more: Partial<DelayedMessage> = {}): DelayedMessage => ({
  messageId,
  sentTimestamp: START,
  asOf: 'history 1',
  ...more,
})

describe('delayed keys', () => {
  it('are covered by a message that comes back later, not by themselves', () => {
    const clock = { ms: START }
    const delayed = createDelayedKeys<string>(() => clock.ms)
    delayed.delay('cart', message('a'), 10)
    clock.ms += 9_999
    expect([
      delayed.covers('cart', [message('c')]),
      delayed.covers('cart', [message('a'), message('c')]),
      delayed.covers('till', [message('c')]),
    ]).toEqual([true, false, false])
    clock.ms += 1
    expect(delayed.covers('cart', [message('c')]), 'it comes back now, not later').toBe(false)
  })

  it('are covered for as long as their newest message stays away', () => {
    const clock = { ms: START }
    const delayed = createDelayedKeys<string>(() => clock.ms)
    delayed.delay('cart', message('a'), 300)
    clock.ms += 60_000
    expect(delayed.covers('cart', [message('c')])).toBe(true)
    delayed.delay('cart', message('a'), 10)
    clock.ms += 10_000
    expect(delayed.covers('cart', [message('c')])).toBe(false)
  })

  it('are not covered by an earlier message that knows of other Nodes, but by a later one', () => {
    const delayed = createDelayedKeys<string>(() => START)
    delayed.delay('cart', message('a'), 10)
    const asOf = 'history 2'
    const covers = (sentTimestamp: number): boolean =>
      delayed.covers('cart', [message('b'), message('c', { sentTimestamp, asOf })])
    expect([covers(START - 1), covers(START), covers(START + 1)]).toEqual([true, false, false])
  })
})
