import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Failure } from './classify-error.ts'
import { type FailedMessage, Redelivery, type RedeliveryOptions } from './redelivery-or-dead-letter.ts'

const failure = (more: Partial<Failure> = {}): Failure => ({
  class: 'ServerError',
  disposition: 'retry',
  isOutage: false,
  reason: 'because',
  ...more,
})
const forbidden = failure({ class: 'Forbidden', disposition: 'retry-few' })
const outage = failure({ class: 'Unreachable', isOutage: true, retryAfterSeconds: 10 })

const message = (messageId: string, receiveCount: number): FailedMessage => ({
  messageId,
  receiveCount,
  sentTimestamp: 0,
  asOf: '',
})

function setUp(options: RedeliveryOptions = {}) {
  const clock = { ms: 0 }
  const redelivery = new Redelivery<string>({
    maxReceiveCount: 6,
    now: () => clock.ms,
    random: () => 0,
    ...options,
  })
  const decide = (what: Failure, ...messages: FailedMessage[]) => {
    const { back, seconds, otherwise } = redelivery.decide({ key: 'cart', messages, failure: what })
    return otherwise ?? { back: back.map(({ messageId }) => messageId), seconds }
  }
  return { redelivery, clock, decide }
}

describe('redelivery', () => {
  it('send a key back until its last receive, which makes it a dead letter', () => {
    const { decide } = setUp()
    expect(decide(failure(), message('m', 5))).toEqual({ back: ['m'], seconds: 16 })
    expect(decide(failure(), message('m', 6))).toBe('dead-letter')
    expect(decide(failure(), message('m', 7))).toBe('dead-letter')
  })

  it('send a key back that servers have failed for an hour, as long as it has receives left', () => {
    const { decide, clock } = setUp({ maxReceiveCount: 12 })
    decide(failure(), message('m', 1))
    clock.ms += 3_600_000
    expect(decide(failure(), message('m', 11))).toEqual({ back: ['m'], seconds: 300 })
    expect(decide(failure(), message('m', 12))).toBe('dead-letter')
  })

  it('never give a key up where the queue does not', () => {
    const { decide } = setUp({ maxReceiveCount: undefined })
    expect(decide(failure(), message('m', 5_000))).toEqual({ back: ['m'], seconds: 300 })
  })

  it('let a younger message carry on a key whose older one is used up', () => {
    const { decide } = setUp()
    const younger = message('younger', 2)
    expect(decide(failure(), message('older', 6), younger)).toEqual({ back: ['younger'], seconds: 32 })
    expect(decide(failure(), message('older', 6), message('other', 6))).toBe('dead-letter')
  })

  describe('on what only a person can mend', () => {
    it('give four receives and a minute from the first refusal', () => {
      const { decide, clock } = setUp({ maxReceiveCount: 12 })
      for (const [receiveCount, seconds] of [[1, 5] as const, [2, 20] as const, [3, 80] as const]) {
        expect(decide(forbidden, message('m', receiveCount))).toEqual({ back: ['m'], seconds })
        clock.ms += seconds * 1000
      }
      expect(decide(forbidden, message('m', 4))).toBe('dead-letter')
    })

    it('give that minute too to a key that had failed often before for another reason', () => {
      const { decide, clock } = setUp({ maxReceiveCount: 12 })
      expect(decide(failure(), message('m', 8))).toHaveProperty('back', ['m'])
      clock.ms += 60_000
      expect(decide(forbidden, message('m', 9))).toHaveProperty('back', ['m'])
      clock.ms += 59_999
      expect(decide(forbidden, message('m', 10))).toHaveProperty('back', ['m'])
      clock.ms += 1
      expect(decide(forbidden, message('m', 11))).toBe('dead-letter')
    })

    it('start again after a success', () => {
      const { decide, clock, redelivery } = setUp({ maxReceiveCount: 12 })
      decide(forbidden, message('m', 1))
      redelivery.succeeded('cart')
      clock.ms += 3_600_000
      expect(decide(forbidden, message('n', 4))).toHaveProperty('back', ['n'])
    })

    it('start again after a time that is longer than a key stays away', () => {
      const { decide, clock } = setUp({ maxReceiveCount: 12 })
      decide(forbidden, message('m', 3))
      clock.ms += 900_001
      expect(decide(forbidden, message('m', 4))).toHaveProperty('back', ['m'])
      clock.ms += 900_000
      expect(decide(forbidden, message('m', 5))).toBe('dead-letter')
    })
  })

  it('give up at once what no attempt can help', () => {
    const { decide } = setUp()
    expect(decide(failure({ class: 'MalformedMessage', disposition: 'never' }), message('m', 1))).toBe(
      'dead-letter',
    )
  })

  describe('in an outage', () => {
    it('send a key back until the cluster is tried again, and never make it a dead letter', () => {
      const { decide } = setUp()
      expect(decide(outage, message('m', 1))).toEqual({ back: ['m'], seconds: 10 })
      expect(decide(outage, message('m', 5))).toEqual({ back: ['m'], seconds: 16 })
      expect(decide(outage, message('m', 6))).toBe('outage')
    })

    it('make a key without receives left a dead letter where nobody sends it again', () => {
      const { decide } = setUp({ isSentAgain: false })
      expect(decide(outage, message('m', 5))).toHaveProperty('back', ['m'])
      expect(decide(outage, message('m', 6))).toBe('dead-letter')
    })

    it('keep one message of a key in the queue, however many changes come', () => {
      const { decide, clock } = setUp()
      expect(decide(outage, message('first', 2), message('second', 1))).toEqual({
        back: ['second'],
        seconds: 10,
      })
      clock.ms = 9_999
      expect(decide(outage, message('third', 1))).toBe('covered')
      expect(decide(outage, message('second', 2)), 'what is delayed does not cover itself').toHaveProperty(
        'back',
        ['second'],
      )
      clock.ms = 60_000
      expect(decide(outage, message('fourth', 1))).toHaveProperty('back', ['fourth'])
    })

    it('do not take a message for delayed that went back before the clock was set back', () => {
      const { decide, clock } = setUp()
      clock.ms = 3_600_000
      decide(outage, message('first', 1))
      clock.ms = 0
      expect(decide(outage, message('second', 1))).toHaveProperty('back', ['second'])
    })

    it('let an earlier message that knows of other Nodes stand for no other, but a later one', () => {
      const decideAfter = (sentTimestamp: number) => {
        const { decide } = setUp()
        decide(outage, { ...message('delayed', 1), sentTimestamp: 1 })
        return decide(outage, { ...message('other', 1), sentTimestamp, asOf: 'other' })
      }
      expect([0, 1, 2].map(decideAfter)).toEqual([
        'covered',
        { back: ['other'], seconds: 10 },
        { back: ['other'], seconds: 10 },
      ])
    })

    it('start again with the patience for a refusal, as permissions may be the last to come back', () => {
      const { decide, clock } = setUp({ maxReceiveCount: 12 })
      decide(forbidden, message('m', 3))
      clock.ms += 1_000
      decide(outage, message('m', 4))
      clock.ms += 3_600_000
      expect(decide(forbidden, message('m', 5))).toHaveProperty('back', ['m'])
    })
  })

  it('lose no key: a message goes back, a dead letter is written, or the key is left in an outage or to another message', () => {
    const failures = fc.constantFrom(failure(), forbidden, outage)
    const messages = fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 4 })
    const steps = fc.array(fc.tuple(failures, messages, fc.integer({ min: 0, max: 100_000 })), {
      maxLength: 20,
    })
    fc.assert(
      fc.property(steps, (some) => {
        const { redelivery, clock } = setUp()
        let returnsAt = -1
        for (const [index, [what, counts, ms]] of some.entries()) {
          clock.ms += ms
          const given = counts.map((count, place) => message(`${index}-${place}`, count))
          const decision = redelivery.decide({ key: 'cart', messages: given, failure: what })
          const isSafe = {
            'dead-letter': !what.isOutage,
            outage: what.isOutage,
            covered: returnsAt > clock.ms,
            back: decision.back.length > 0 && decision.back.every(({ receiveCount }) => receiveCount < 6),
          }
          expect(isSafe[decision.otherwise ?? 'back']).toBe(true)
          const until = clock.ms + decision.seconds * 1000
          returnsAt = decision.otherwise === undefined ? Math.max(returnsAt, until) : returnsAt
        }
      }),
    )
  })
})
