import { describe, expect, it } from 'vitest'
import { KEY } from './memory-cluster.fixtures.ts'
import { firstScope, nextScope } from './reconcile-service.ts'

const hint = { pods: ['web-1'], slices: ['web-a'] }
const relayVerifies = true as const
const ofAll = { fullSyncReason: 'NoHint', purpose: 'write' }

describe('the first sync', () => {
  it.each([
    ['where the hint says', { hint, relayVerifies }, 1, { hint, purpose: 'write' }],
    ['of it all after an earlier one', { hint, relayVerifies }, 2, ofAll],
    ['of it all where no relay verifies what a hint leads to', { hint }, 1, ofAll],
    ['of it all without a hint', {}, 1, ofAll],
    ['of an audit, which counts', { audit: true as const }, 1, { ...ofAll, purpose: 'audit' }],
    ['of an audit that failed before', { audit: true as const }, 2, ofAll],
  ])('is one %s', (_, message, receiveCount, scope) => {
    expect(firstScope({ ...KEY, ...message }, receiveCount)).toEqual(scope)
  })
})

describe('the next sync', () => {
  it('is at the same place where something changed, whatever version it had', () => {
    const versioned = { hint: { ...hint, sliceVersions: ['1'] }, purpose: 'write' } as const
    expect(nextScope(versioned, 'changed')).toEqual({ hint, purpose: 'write' })
  })

  it('is at the whole Service where a part was written', () => {
    expect(nextScope({ hint, purpose: 'write' }, 'contended')).toEqual({
      fullSyncReason: 'Contention',
      purpose: 'write',
    })
  })

  it.each([
    ['compares where nothing else can tell whether it is right', 'unverified', 'compare'],
    ['writes where something changed', 'changed', 'write'],
    ['writes where a part was written', 'contended', 'write'],
  ] as const)('at a whole Service %s, for the same reason as before', (_, verification, purpose) => {
    expect(nextScope({ fullSyncReason: 'NoHint', purpose: 'write' }, verification)).toEqual({
      fullSyncReason: 'NoHint',
      purpose,
    })
  })
})
