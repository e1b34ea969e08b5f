import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createVerdicts, type FailedMessage, type Failure, type VerdictOptions } from './index.ts'

const failure = (more: Partial<Failure> = {}): Failure => ({
  class: 'ServerError',
  disposition: 'retry',
  isOutage: false,
  reason: 'because',
  ...more,
})
const forbidden = failure({ class: 'Forbidden', disposition: 'retry-few' })
const outage = failure({ class: 'Unreachable', isOutage: true, retryAfterSeconds: 10 })

const message = (messageId: string, receiveCount: number): FailedMessage => ({ messageId, receiveCount })

function setUp(options: VerdictOptions = {}) {
  const clock = { ms: 0 }
  const verdicts = createVerdicts<string>({
    maxReceiveCount: 6,
    now: () => clock.ms,
    random: () => 0,
    ...options,
  })
  const judge = (what: Failure, ...messages: FailedMessage[]) => {
    const { back, seconds, otherwise } = verdicts.judge({ key: 'cart', messages, failure: what })
    return otherwise ?? { back: back.map(({ messageId }) => messageId), seconds }
  }
  return { verdicts, clock, judge }
}

describe('verdicts', () => {
  it('send a key back until its last receive, which makes it a dead letter', () => {
    const { judge } = setUp()
    expect(judge(failure(), message('m', 5))).toEqual({ back: ['m'], seconds: 16 })
    expect(judge(failure(), message('m', 6))).toBe('letter')
    expect(judge(failure(), message('m', 7))).toBe('letter')
  })

  it('send a key back that servers have failed for an hour, as long as it has receives left', () => {
    const { judge, clock } = setUp({ maxReceiveCount: 12 })
    judge(failure(), message('m', 1))
    clock.ms += 3_600_000
    expect(judge(failure(), message('m', 11))).toEqual({ back: ['m'], seconds: 300 })
    expect(judge(failure(), message('m', 12))).toBe('letter')
  })

  it('never give a key up where the queue does not', () => {
    const { judge } = setUp({ maxReceiveCount: undefined })
    expect(judge(failure(), message('m', 5_000))).toEqual({ back: ['m'], seconds: 300 })
  })

  it('let a younger message carry on a key whose older one is used up', () => {
    const { judge } = setUp()
    const younger = message('younger', 2)
    expect(judge(failure(), message('older', 6), younger)).toEqual({ back: ['younger'], seconds: 32 })
    expect(judge(failure(), message('older', 6), message('other', 6))).toBe('letter')
  })

  describe('on what only a person can mend', () => {
    it('give four receives and a minute from the first refusal', () => {
      const { judge, clock } = setUp({ maxReceiveCount: 12 })
      for (const [receiveCount, seconds] of [[1, 5] as const, [2, 20] as const, [3, 80] as const]) {
        expect(judge(forbidden, message('m', receiveCount))).toEqual({ back: ['m'], seconds })
        clock.ms += seconds * 1000
      }
      expect(judge(forbidden, message('m', 4))).toBe('letter')
    })

    it('give that minute too to a key that had failed often before for another reason', () => {
      const { judge, clock } = setUp({ maxReceiveCount: 12 })
      expect(judge(failure(), message('m', 8))).toHaveProperty('back', ['m'])
      clock.ms += 60_000
      expect(judge(forbidden, message('m', 9))).toHaveProperty('back', ['m'])
      clock.ms += 59_999
      expect(judge(forbidden, message('m', 10))).toHaveProperty('back', ['m'])
      clock.ms += 1
      expect(judge(forbidden, message('m', 11))).toBe('letter')
    })

    it('begin anew after a success', () => {
      const { judge, clock, verdicts } = setUp({ maxReceiveCount: 12 })
      judge(forbidden, message('m', 1))
      verdicts.succeeded('cart')
      clock.ms += 3_600_000
      expect(judge(forbidden, message('n', 4))).toHaveProperty('back', ['n'])
    })

    it('give up in the last receive all the same', () => {
      const { judge } = setUp()
      expect(judge(forbidden, message('m', 6))).toBe('letter')
    })
  })

  it('give up at once what no attempt can help', () => {
    const { judge } = setUp()
    expect(judge(failure({ class: 'MalformedMessage', disposition: 'never' }), message('m', 1))).toBe(
      'letter',
    )
  })

  describe('in an outage', () => {
    it('send a key back until the cluster is tried again, and never make it a dead letter', () => {
      const { judge } = setUp()
      expect(judge(outage, message('m', 1))).toEqual({ back: ['m'], seconds: 10 })
      expect(judge(outage, message('m', 5))).toEqual({ back: ['m'], seconds: 16 })
      expect(judge(outage, message('m', 6))).toBe('outage')
    })

    it('keep one message of a key in the queue, however many changes come', () => {
      const { judge, clock } = setUp()
      expect(judge(outage, message('first', 2), message('second', 1))).toEqual({
        back: ['second'],
        seconds: 10,
      })
      clock.ms = 9_999
      expect(judge(outage, message('third', 1))).toBe('covered')
      expect(judge(outage, message('second', 2)), 'what is parked does not cover itself').toHaveProperty(
        'back',
        ['second'],
      )
      clock.ms = 60_000
      expect(judge(outage, message('fourth', 1))).toHaveProperty('back', ['fourth'])
    })

    it('begin anew with the patience for a refusal, as permissions may be the last to come back', () => {
      const { judge, clock } = setUp({ maxReceiveCount: 12 })
      judge(forbidden, message('m', 3))
      clock.ms += 1_000
      judge(outage, message('m', 4))
      clock.ms += 3_600_000
      expect(judge(forbidden, message('m', 5))).toHaveProperty('back', ['m'])
    })
  })

  it('lose no key: a message goes back, a letter is written, or the key is left in an outage or to another message', () => {
    const failures = fc.constantFrom(failure(), forbidden, outage)
    const messages = fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 4 })
    const steps = fc.array(fc.tuple(failures, messages, fc.integer({ min: 0, max: 100_000 })), {
      maxLength: 20,
    })
    fc.assert(
      fc.property(steps, (some) => {
        const { verdicts, clock } = setUp()
        let returnsAt = -1
        for (const [index, [what, counts, ms]] of some.entries()) {
          clock.ms += ms
          const given = counts.map((count, place) => message(`${index}-${place}`, count))
          const verdict = verdicts.judge({ key: 'cart', messages: given, failure: what })
          const isSafe = {
            letter: !what.isOutage,
            outage: what.isOutage,
            covered: returnsAt > clock.ms,
            back: verdict.back.length > 0 && verdict.back.every(({ receiveCount }) => receiveCount < 6),
          }
          expect(isSafe[verdict.otherwise ?? 'back']).toBe(true)
          const until = clock.ms + verdict.seconds * 1000
          returnsAt = verdict.otherwise === undefined ? Math.max(returnsAt, until) : returnsAt
        }
      }),
    )
  })
})
