import { describe, expect, it } from 'vitest'
import { encodeMessage } from '../../../shared/queue/index.ts'
import { createMemoryRecorder } from '../../../shared/recording/writing/memory-sink.fixtures.ts'
import { createSentKeys } from './recorded-keys.ts'

const WEB = { cluster: 'blue', namespace: 'shop', service: 'web' }
const CART = { ...WEB, service: 'cart' }

function setUp({ share = 1 } = {}) {
  const clock = { ms: 0 }
  const { sink, recorder } = createMemoryRecorder({ share })
  const keys = createSentKeys(recorder, () => clock.ms)
  return { keys, clock, sent: () => sink.records().filter((line) => line.kind === 'change') }
}

describe('createSentKeys', () => {
  it('records what a key that was sent stands for, lane by lane', () => {
    const { keys, sent } = setUp()
    keys.changed('live', 'pod', [WEB, CART])
    keys.changed('live', 'pod', [WEB])
    keys.changed('live', 'node', [WEB])
    keys.changed('sweep', 'start', [WEB])
    const message = { ...WEB, triggerTime: '2026-01-01T12:00:00Z' }
    keys.sent('live', [message])
    keys.sent('sweep', [WEB])
    expect(sent()).toMatchObject([
      {
        ...WEB,
        about: ['pod', 'node'],
        count: 3,
        lane: 'live',
        trigger: message.triggerTime,
        bytes: encodeMessage(message).length,
      },
      { ...WEB, about: ['start'], count: 1, lane: 'sweep' },
    ])
  })

  it('records how long after the sending before a write was seen', () => {
    const { keys, clock, sent } = setUp()
    const send = (ms: number, writtenMs?: number): void => {
      clock.ms = ms
      keys.sent('live', [WEB])
      if (writtenMs === undefined) return
      clock.ms = writtenMs
      keys.written(WEB)
      keys.written(CART)
    }
    send(0, 17)
    keys.written(WEB)
    send(100)
    send(200, 230)
    send(300, 340)
    send(400, 420)
    send(70_000)
    send(130_001)
    // Of what was sent at 200, the write may be that of 100.
    expect(sent().map(({ seen }) => seen)).toEqual([undefined, 17, undefined, undefined, 40, 20, undefined])
  })

  it('names the Pods that changed, the latest of many', () => {
    const names = Array.from({ length: 100 }, (_, number) => `web-${number}`)
    const { keys, sent } = setUp()
    keys.changed('live', 'pod', [{ ...WEB, pods: ['web-1'] }])
    keys.changed('live', 'pod', [{ ...WEB, pods: ['web-2'] }])
    keys.settled('live', { ...WEB, pods: ['web-2'] })
    keys.changed('live', 'pod', [{ ...WEB, pods: ['web-1'] }])
    keys.sent('live', [WEB])
    for (const name of names) keys.changed('live', 'pod', [{ ...WEB, pods: [name] }])
    keys.sent('live', [WEB])
    keys.changed('live', 'node', [WEB])
    keys.sent('live', [WEB])
    const [few, many, ofNode] = sent()
    expect(few).toMatchObject({ count: 3, pods: ['web-1', 'web-2'] })
    expect(many).toMatchObject({ count: 100, pods: names.slice(-64) })
    expect(ofNode).toMatchObject({ about: ['node'], count: 1 })
    expect(ofNode).not.toHaveProperty('pods')
  })

  it('records how long ago each of the latest changes came', () => {
    const { keys, clock, sent } = setUp()
    for (const ms of [0, 10, 25]) {
      clock.ms = ms
      keys.changed('live', 'pod', [WEB])
    }
    clock.ms = 30.4
    keys.sent('live', [WEB])
    for (let change = 0; change < 1000; change++) keys.changed('live', 'pod', [WEB])
    keys.sent('live', [WEB])
    const [first, second] = sent()
    expect(first).toMatchObject({ count: 3, ages: [30, 20, 5] })
    expect(second).toMatchObject({ count: 1000, about: ['pod'], ages: Array(64).fill(0) })
  })

  it('keeps changes for the message that names their Pods, unless they are settled', () => {
    const { keys, clock, sent } = setUp()
    const hint = (pods: readonly string[]) => ({ hint: { pods, slices: ['web-a'] } })
    keys.changed('live', 'pod', [{ ...WEB, pods: ['old'], deferrable: true }])
    keys.changed('live', 'pod', [{ ...WEB, pods: ['older'], deferrable: true }])
    clock.ms = 100
    keys.changed('live', 'pod', [{ ...WEB, pods: ['new'] }])
    keys.sent('live', [{ ...WEB, ...hint(['new']) }])
    clock.ms = 400
    keys.sent('live', [{ ...WEB, ...hint(['old']) }])
    keys.changed('live', 'pod', [{ ...WEB, pods: ['next'] }])
    keys.settled('live', { ...WEB, pods: ['older'] })
    keys.sent('live', [{ ...WEB, ...hint(['next']) }])
    expect(sent()).toMatchObject([
      { count: 1, ages: [0] },
      { count: 1, ages: [400] },
      { count: 2, ages: [400, 0] },
    ])
  })

  it('keeps a change until all of its Pods are named, or all were settled', () => {
    const { keys, clock, sent } = setUp()
    const naming = (...pods: string[]) => [{ ...WEB, hint: { pods, slices: [] } }]
    const changed = (...pods: string[]) => keys.changed('live', 'pod', [{ ...WEB, pods }])
    changed('a', 'b')
    clock.ms = 10
    keys.sent('live', naming('a'))
    keys.settled('live', { ...WEB, pods: ['b', 'c'] })
    keys.sent('live', naming('c'))
    keys.sent('live', naming('a', 'b'))
    expect(sent().map(({ count, ages }) => [count, ages])).toEqual([
      [0, undefined],
      [0, undefined],
      [1, [10]],
    ])
  })

  it('takes a change of no Pods in particular with the next message, and settles Pods beside it', () => {
    const { keys, sent } = setUp()
    keys.changed('live', 'service', [WEB])
    keys.changed('live', 'pod', [{ ...WEB, pods: ['a'] }])
    keys.settled('live', { ...WEB, pods: ['a'] })
    keys.settled('live', WEB)
    keys.settled('live', CART)
    keys.sent('live', [{ ...WEB, hint: { pods: ['b'], slices: [] } }])
    expect(sent()).toMatchObject([{ about: ['service', 'pod'], count: 2 }])
  })

  it('records up to 256 changes of a key, and merges older ones without Pods', () => {
    for (const [changes, reported] of [
      [256, [0, undefined]],
      [257, [2, [5]]],
    ] as const) {
      const { keys, clock, sent } = setUp()
      for (let change = 0; change < changes; change++) {
        clock.ms = change
        keys.changed('live', 'pod', [{ ...WEB, pods: [`web-${change}`] }])
      }
      clock.ms = 6
      keys.sent('live', [{ ...WEB, hint: { pods: ['other'], slices: [] } }])
      expect(sent().map(({ count, ages }) => [count, ages])).toEqual([reported])
    }
  })

  it('records nothing of Services that are not recorded', () => {
    const { keys, sent } = setUp({ share: 0 })
    keys.changed('live', 'pod', [WEB])
    keys.sent('live', [WEB])
    expect(sent()).toEqual([])
  })

  it('records a message that stands for no change that is known', () => {
    const { keys, sent } = setUp()
    keys.sent('sweep', [WEB])
    expect(sent()).toMatchObject([{ ...WEB, about: [], count: 0, lane: 'sweep' }])
    expect(sent()[0]).not.toHaveProperty('ages')
  })
})
