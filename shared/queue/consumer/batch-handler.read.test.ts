import type { SQSRecord } from 'aws-lambda'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeMessage, type KeyMessage } from '../index.ts'
import { readBatch } from './batch-handler.ts'

interface RecordInput {
  readonly id?: string
  readonly body: string
  readonly receiveCount?: number
  readonly sentTimestamp?: number
  readonly receivedTimestamp?: number
}

const record = ({
  id = 'm',
  body,
  receiveCount = 1,
  sentTimestamp = 1000,
  receivedTimestamp = 2000,
}: RecordInput): SQSRecord => ({
  messageId: id,
  receiptHandle: `handle-${id}`,
  body,
  attributes: {
    ApproximateReceiveCount: String(receiveCount),
    SentTimestamp: String(sentTimestamp),
    SenderId: 'relay',
    ApproximateFirstReceiveTimestamp: String(receivedTimestamp),
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:live',
  awsRegion: 'us-east-1',
})

const body = (service: string, hints: Partial<KeyMessage> = {}): string =>
  encodeMessage({ cluster: 'prod', namespace: 'shop', service, ...hints })

describe('readBatch', () => {
  it('keeps the contexts of all messages of a key, and passes over what is none', () => {
    const context = (id: string): string => `00-${id.repeat(32)}-${id.repeat(16)}-01`
    const traced = (id: string, sentTimestamp: number, text: string): SQSRecord => ({
      ...record({ id, body: body('web'), sentTimestamp }),
      messageAttributes: { traceparent: { stringValue: text, dataType: 'String' } },
    })
    const { keys, malformed } = readBatch([
      traced('m2', 2000, context('b')),
      traced('m1', 1000, context('a')),
      traced('m3', 3000, '00-forged\n'),
    ])
    expect(malformed).toEqual([])
    expect(keys.map(({ message }) => message.traceparents)).toEqual([[context('a'), context('b')]])
  })

  it('takes the addresses of new endpoints from a queue of its own process alone, and others from any', () => {
    const facts = { at: 1, selector: 'app=web', pods: [null] }
    const hint = { pods: ['p'], slices: ['s'] }
    const ahead = { selector: 'app=web', slicesVersion: '5', podsVersion: '5' }
    const factsIn = (addsEndpoints: true | undefined, isOwnQueue?: boolean) => {
      const { selector, ...all } = { ...facts, ...(addsEndpoints && { addsEndpoints }) }
      const selected = { pods: ['p'], facts: all }
      const sent = { hint: { ...hint, facts: { ...all, selector } }, readAhead: { ...ahead, selected } }
      const { keys } = readBatch([record({ body: body('web', sent) })], { isOwnQueue })
      const { message } = keys[0] ?? {}
      expect([message?.hint, message?.readAhead]).toMatchObject([hint, ahead])
      expect(message?.readAhead?.selected).toEqual(message?.hint?.facts && selected)
      return message?.hint?.facts
    }
    expect([factsIn(true), factsIn(true, false)]).toEqual([undefined, undefined])
    expect(factsIn(true, true)).toEqual({ ...facts, addsEndpoints: true })
    expect(factsIn(undefined)).toEqual(facts)
  })

  it('merges the messages of one key', () => {
    const records = [
      record({ id: 'a', body: body('cart'), receiveCount: 3, sentTimestamp: 1500 }),
      record({ id: 'b', body: body('cart'), sentTimestamp: 1000 }),
      record({ id: 'c', body: body('till') }),
    ]
    expect(readBatch(records, { now: 2000 })).toEqual({
      keys: [
        {
          message: { cluster: 'prod', namespace: 'shop', service: 'cart' },
          records: records.slice(0, 2),
          receiveCount: 3,
          sentTimestamp: 1500,
        },
        expect.objectContaining({ records: [records[2]] }),
      ],
      malformed: [],
    })
  })

  it.each([
    ['ahead', 300_000],
    ['behind', -300_000],
  ])('times messages by our own clock, be it %s of the queue’s', (_, aheadMs) => {
    const records = [
      record({ id: 'a', body: body('cart'), sentTimestamp: 1500, receivedTimestamp: 1600 }),
      record({ id: 'b', body: body('till'), sentTimestamp: 1990, receivedTimestamp: 2000 }),
    ]
    const { keys } = readBatch(records, { now: 2000 + aheadMs })
    expect(keys.map(({ sentTimestamp }) => sentTimestamp - aheadMs)).toEqual([1500, 1990])
  })

  it('takes messages for newer than they are, never for older, where all of them have been received before', () => {
    const again = record({
      body: body('cart'),
      receiveCount: 2,
      sentTimestamp: 1500,
      receivedTimestamp: 1600,
    })
    expect(readBatch([again], { now: 2000 }).keys[0]?.sentTimestamp).toBe(1900)
  })

  it.each([
    [1000, 1500],
    [1500, 1000],
  ])('counts of messages of one key, sent at %i and %i, the later one', (one, other) => {
    const records = [one, other].map((sentTimestamp) => record({ body: body('cart'), sentTimestamp }))
    expect(readBatch(records, { now: 2000 }).keys.map(({ sentTimestamp }) => sentTimestamp)).toEqual([1500])
  })

  it('keeps keys apart that differ in the cluster only', () => {
    const records = ['east', 'west'].map((cluster) => record({ body: body('cart', { cluster }) }))
    expect(readBatch(records).keys).toHaveLength(2)
  })

  it('sets malformed messages aside', () => {
    const bad = record({ id: 'bad', body: 'not JSON' })
    const { keys, malformed } = readBatch([record({ body: body('cart') }), bad])
    expect(keys).toHaveLength(1)
    expect(malformed).toEqual([
      { record: bad, error: expect.objectContaining({ name: 'MalformedMessageError' }) },
    ])
  })

  it('puts every record in exactly one place', () => {
    const bodies = fc.oneof(
      fc.constantFrom(body('a'), body('b'), body('a', { cluster: 'other' })),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(bodies, { maxLength: 30 }), (all) => {
        const records = all.map((text, index) => record({ id: `m${index}`, body: text }))
        const { keys, malformed } = readBatch(records)
        const placed = [...keys.flatMap((key) => key.records), ...malformed.map((item) => item.record)]
        expect(placed).toHaveLength(records.length)
        expect(new Set(placed)).toEqual(new Set(records))
      }),
    )
  })
})
