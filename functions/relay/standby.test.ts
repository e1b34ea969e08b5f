import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { SliceState } from '../../shared/changes/index.ts'
import { createTurns } from '../../shared/kubernetes/index.ts'
import { createStandby, type Standby } from './standby.ts'

const DELAY_MS = 2_000
/** Milliseconds between checks of the keys. */
const STEP_MS = 100
const key = (service: string) => ({ cluster: 'a', namespace: 'shop', service })
const WEB = key('web')

describe('a standby', () => {
  let compareAll: Record<string, SliceState>
  let compared: string[]
  let sent: string[]
  let standby: Standby

  beforeEach(() => {
    vi.useFakeTimers()
    compareAll = { web: 'wrong' }
    compared = []
    sent = []
    standby = createStandby({
      delayMs: DELAY_MS,
      maxMs: 10_000,
      nextTurn: async () => undefined,
      compareWithDesired({ service }) {
        compared.push(service)
        return compareAll[service] ?? 'right'
      },
      onStale: ({ service }, state) => sent.push(`${state} ${service}`),
    })
  })
  afterEach(() => {
    standby.stop()
    vi.useRealTimers()
  })
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

  it('sends a key that has stayed wrong for the delay, and not before', async () => {
    standby.changed(WEB)
    await pass(DELAY_MS - 1)
    expect(sent).toEqual([])
    await pass(STEP_MS)
    expect(sent).toEqual(['wrong web'])
  })

  it('sends no key that is right by then, and compares it no more', async () => {
    standby.changed(WEB)
    await pass(DELAY_MS / 2)
    compareAll = {}
    await pass(60_000)
    expect([sent, compared]).toEqual([[], ['web']])
  })

  it('is not put off by further changes', async () => {
    for (let at = 0; at < 1.5 * DELAY_MS; at += 200) {
      standby.changed(WEB)
      await pass(200)
    }
    expect(sent).toEqual(['wrong web'])
  })

  it('sends nothing while writes show that somebody is at work, and what is wrong after the last', async () => {
    standby.changed(WEB)
    for (let count = 0; count < 10; count++) {
      await pass(DELAY_MS / 2)
      standby.written(WEB)
      standby.changed(WEB)
    }
    expect(compared).toEqual([])
    await pass(DELAY_MS + STEP_MS)
    expect(sent).toEqual(['wrong web'])
  })

  it('gives a change that came after a write half the delay', async () => {
    standby.changed(WEB)
    standby.written(WEB)
    await pass(0.75 * DELAY_MS)
    standby.changed(WEB)
    await pass(0.5 * DELAY_MS - 1)
    expect(compared).toEqual([])
    await pass(STEP_MS)
    expect(sent).toEqual(['wrong web'])
  })

  it('compares a key that is written all the time, too', async () => {
    standby.changed(WEB)
    for (let at = 0; at < 20 * DELAY_MS; at += DELAY_MS / 2) {
      await pass(DELAY_MS / 2)
      standby.written(WEB)
    }
    expect(sent).toEqual(['wrong web'])
  })

  it('sends a key again, ever more seldom, until it is right', async () => {
    standby.changed(WEB)
    const at: number[] = []
    for (let second = 1; second <= 60; second++) {
      await pass(1_000)
      if (sent.splice(0).length > 0) at.push(second)
    }
    const pauses = at.map((second, index) => second - (at[index - 1] ?? 0))
    // 2 s, then doubled up to 10 s; each may be one check later.
    expect(pauses.slice(0, 4)).toEqual([2, 2, 4, 8])
    expect(Math.min(...pauses.slice(4))).toBeGreaterThanOrEqual(10)
    compareAll = {}
    await pass(30_000)
    compared = []
    await pass(60_000)
    expect([sent, compared]).toEqual([[], []])
  })

  it('judges a key in the delay again that changed once more or was written, however long its pause had become', async () => {
    standby.changed(WEB)
    await pass(20_000)
    sent = []
    standby.changed(WEB)
    await pass(DELAY_MS + STEP_MS)
    expect(sent).toEqual(['wrong web'])
    standby.written(WEB)
    await pass(DELAY_MS + STEP_MS)
    expect(sent).toEqual(['wrong web', 'wrong web'])
  })

  it.each([
    ['of which no slice was written after its change once', false, ['unknown web']],
    ['of which a slice was written after its change not at all', true, []],
  ])('sends a key that cannot be judged, %s', async (_when, isWritten, expected) => {
    compareAll = { web: 'unknown' }
    standby.written(WEB)
    standby.changed(WEB)
    await pass(STEP_MS)
    if (isWritten) standby.written(WEB)
    await pass(60_000)
    expect(sent).toEqual(expected)
  })

  it('takes one write for that of one change: a key that cannot be judged and changed twice is sent', async () => {
    compareAll = { web: 'unknown' }
    standby.changed(WEB)
    await pass(STEP_MS)
    standby.changed(WEB)
    await pass(STEP_MS)
    standby.written(WEB)
    await pass(60_000)
    expect(sent).toEqual(['unknown web'])
  })

  it('sends no such key where a write followed each of its changes, nor one that was written once more', async () => {
    compareAll = { web: 'unknown' }
    for (const step of ['changed', 'written', 'changed', 'changed', 'written', 'written'] as const) {
      standby[step](WEB)
      await pass(STEP_MS)
    }
    await pass(60_000)
    expect(sent).toEqual([])
  })

  it('lets events in between while it compares many', async () => {
    standby.stop()
    vi.useRealTimers()
    const order: string[] = []
    standby = createStandby({
      delayMs: 20,
      maxMs: 10_000,
      nextTurn: createTurns(),
      compareWithDesired({ service }) {
        setImmediate(() => order.push('event'))
        for (const until = performance.now() + 15; performance.now() < until; );
        order.push(service)
        return 'right'
      },
      onStale: () => undefined,
    })
    standby.changed(key('first'))
    standby.changed(key('second'))
    await vi.waitFor(() => expect(order).toEqual(['first', 'event', 'second', 'event']))
  })

  it('compares no more keys once it is stopped in between', async () => {
    standby.stop()
    vi.useRealTimers()
    standby = createStandby({
      delayMs: 20,
      maxMs: 10_000,
      nextTurn: createTurns(),
      compareWithDesired({ service }) {
        setImmediate(() => standby.stop())
        for (const until = performance.now() + 15; performance.now() < until; );
        compared.push(service)
        return 'wrong'
      },
      onStale: () => undefined,
    })
    for (const name of ['first', 'second', 'third']) standby.changed(key(name))
    await vi.waitFor(() => expect(compared).toEqual(['first']))
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(compared).toEqual(['first'])
  })
})
