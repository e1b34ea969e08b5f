import { describe, expect, it } from 'vitest'
import { RecentSyncs, type WaitingMessage } from './recently-synced.ts'

const NOON = Date.UTC(2026, 0, 1, 12)
const sent = (sentTimestamp: number, more: Partial<WaitingMessage> = {}): WaitingMessage => ({
  sentTimestamp,
  receiveCount: 1,
  ...more,
})

describe('recent syncs', () => {
  it('cover one sent well before, not one sent later nor so close before that clocks may differ', () => {
    const syncs = new RecentSyncs<string>(() => NOON)
    syncs.remember('cart', { began: NOON })
    expect(syncs.cover('cart', sent(NOON - 1_001))).toBe(true)
    expect(syncs.cover('cart', sent(NOON + 1))).toBe(false)
    expect(syncs.cover('cart', sent(NOON - 1_000))).toBe(false)
  })

  it('cover none once the clock was set back, by which one sent since seems older', () => {
    let now = NOON
    const syncs = new RecentSyncs<string>(() => now)
    syncs.remember('cart', { began: NOON })
    now = NOON - 3_600_000
    expect(syncs.cover('till', sent(now))).toBe(false)
    now = NOON + 60_000
    expect(syncs.cover('cart', sent(NOON - 60_000))).toBe(false)
    now = NOON - 3_600_000
    syncs.remember('cart', { began: NOON })
    expect(syncs.cover('cart', sent(now))).toBe(false)
  })

  it('do not cover one that somebody had before, who may have written since', () => {
    const syncs = new RecentSyncs<string>(() => NOON)
    syncs.remember('cart', { began: NOON })
    expect(syncs.cover('cart', sent(NOON - 60_000, { receiveCount: 2 }))).toBe(false)
  })

  it('do not compare versions of different histories', () => {
    const syncs = new RecentSyncs<string>(() => NOON)
    syncs.remember('cart', { began: NOON, podsVersion: '90', nodesVersion: '80', history: 'first' })
    const message = { resourceVersion: '9', nodesVersion: '8' }
    expect(syncs.cover('cart', sent(NOON - 60_000, { ...message, history: 'first' }))).toBe(true)
    expect(syncs.cover('cart', sent(NOON - 60_000, { ...message, history: 'restored' }))).toBe(false)
  })

  it.each([
    [undefined, undefined, true],
    [undefined, '7', true],
    ['10', '9', true],
    ['10', '10', true],
    ['10', '11', false],
    ['10', undefined, false],
    ['10', 'zz', false],
  ])(
    'at version %s of pods or nodes cover a message about version %s of them: %s',
    (inputs, reported, covered) => {
      const syncs = new RecentSyncs<string>(() => NOON)
      syncs.remember('cart', { began: NOON, podsVersion: inputs })
      syncs.remember('till', { began: NOON, nodesVersion: inputs })
      const isCovered = [
        syncs.cover('cart', sent(NOON - 60_000, { resourceVersion: reported })),
        syncs.cover('till', sent(NOON - 60_000, { nodesVersion: reported })),
      ]
      expect(isCovered).toEqual([covered, covered])
    },
  )

  it('are forgotten after a quarter of an hour', () => {
    let now = NOON
    const syncs = new RecentSyncs<string>(() => now)
    syncs.remember('cart', { began: now })
    now += 15 * 60_000
    expect(syncs.cover('cart', sent(NOON - 60_000))).toBe(true)
    now += 1
    expect(syncs.cover('cart', sent(NOON - 60_000))).toBe(false)
  })

  it('are of 50,000 keys at most, whatever keys come', () => {
    const syncs = new RecentSyncs<number>(() => NOON)
    for (let key = 0; key < 60_000; key++) syncs.remember(key, { began: NOON })
    const isCovered = (key: number): boolean => syncs.cover(key, sent(NOON - 60_000))
    expect([isCovered(9_999), isCovered(15_000)]).toEqual([false, true])
  })
})
