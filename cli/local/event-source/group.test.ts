import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeMessage, messageGroupId } from '../../../shared/queue/index.ts'
import { groupOf } from './buffer.ts'

const body = (cluster: string): string => encodeMessage({ cluster, namespace: 'shop', service: 'cart' })

describe('the group of a message', () => {
  it('is the one that the server names', () => {
    expect(groupOf({ Attributes: { MessageGroupId: 'eu-1' }, Body: body('us-1') })).toBe('eu-1')
  })

  it('is the cluster in its body if the server names none', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ -~]{1,300}$/), (cluster) => {
        expect(groupOf({ Body: body(cluster) })).toBe(messageGroupId({ cluster }))
      }),
    )
  })

  it('is one for all that is no message', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(groupOf({ Body: text })).toBe('')
      }),
    )
    expect(groupOf({})).toBe('')
  })
})
