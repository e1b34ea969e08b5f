import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../../test/support/any-character.ts'
import { messageGroupId } from './message-group.ts'

describe('messageGroupId', () => {
  it('is the name of the cluster where SQS allows it', () => {
    const arn = 'arn:aws:eks:eu-west-1:123456789012:cluster/prod-1'
    expect(messageGroupId(arn)).toBe(arn)
    expect(messageGroupId('c'.repeat(128))).toBe('c'.repeat(128))
  })

  it('is a hash where the name is too long, has spaces or is not ASCII', () => {
    for (const name of ['c'.repeat(129), 'my cluster', 'Küche']) {
      expect(messageGroupId(name)).toMatch(/^sha256:[0-9a-f]{64}$/)
    }
  })

  it('is always valid, the same for the same cluster and another for another', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter, minLength: 1 }),
        fc.string({ minLength: 1, maxLength: 300 }),
        (a, b) => {
          for (const name of [a, b]) expect(messageGroupId(name)).toMatch(/^[\x21-\x7e]{1,128}$/)
          expect(messageGroupId(a) === messageGroupId(b)).toBe(a === b)
        },
      ),
    )
  })
})
