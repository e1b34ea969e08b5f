import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../../test/support/any-character.ts'
import { messageGroupId } from './message-group.ts'

const groupOf = (cluster: string): string => messageGroupId({ cluster })

describe('messageGroupId', () => {
  it('is the name of the cluster where SQS allows it', () => {
    const arn = 'arn:aws:eks:eu-west-1:123456789012:cluster/prod-1'
    expect(groupOf(arn)).toBe(arn)
    expect(groupOf('c'.repeat(128))).toBe('c'.repeat(128))
  })

  it('is a hash where the name is too long, has spaces or is not ASCII', () => {
    for (const name of ['c'.repeat(129), 'my cluster', 'Küche']) {
      expect(groupOf(name)).toMatch(/^sha256:[0-9a-f]{64}$/)
    }
  })

  it('is apart for each cluster that changed, of a key that stands for several', () => {
    const set = { cluster: 'clusterset:default' }
    const groups = [set, { ...set, from: 'eu' }, { ...set, from: 'us' }].map(messageGroupId)
    expect(groups).toEqual(['clusterset:default', 'clusterset:default/eu', 'clusterset:default/us'])
    expect(messageGroupId({ ...set, from: 'c'.repeat(128) })).toMatch(/^sha256:[0-9a-f]{64}$/)
  })

  it('is always valid, the same for the same cluster and another for another', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter, minLength: 1 }),
        fc.string({ minLength: 1, maxLength: 300 }),
        (a, b) => {
          for (const name of [a, b]) expect(groupOf(name)).toMatch(/^[\x21-\x7e]{1,128}$/)
          expect(groupOf(a) === groupOf(b)).toBe(a === b)
        },
      ),
    )
  })
})
