import { describe, expect, it } from 'vitest'
import { failedMessageIds, InvalidBatchResponseError } from './invoke.ts'

const ids = new Set(['a', 'b'])

describe('failedMessageIds', () => {
  it.each([undefined, null, {}, { batchItemFailures: null }, { batchItemFailures: [] }, { other: 1 }])(
    'takes %j for success of every message',
    (response) => {
      expect(failedMessageIds(response, ids)).toEqual(new Set())
    },
  )

  it('gives the messages that are reported, however often', () => {
    const batchItemFailures = [{ itemIdentifier: 'b' }, { itemIdentifier: 'b' }]
    expect(failedMessageIds({ batchItemFailures }, ids)).toEqual(new Set(['b']))
  })

  it.each([
    'text',
    42,
    [],
    { batchItemFailures: 'a' },
    { batchItemFailures: ['a'] },
    { batchItemFailures: [{}] },
    { batchItemFailures: [{ itemIdentifier: '' }] },
    { batchItemFailures: [{ itemIdentifier: null }] },
    { batchItemFailures: [{ itemidentifier: 'a' }] },
    { batchItemFailures: [{ itemIdentifier: 'a' }, { itemIdentifier: 'of another batch' }] },
  ])('refuses %j', (response) => {
    expect(() => failedMessageIds(response, ids)).toThrow(InvalidBatchResponseError)
  })
})
