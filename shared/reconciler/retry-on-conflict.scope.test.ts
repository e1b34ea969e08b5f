import { describe, expect, it } from 'vitest'
import { HINTED_SLICES } from '../changes/index.ts'
import { KEY } from './memory-cluster.fixtures.ts'
import { firstScope, nextScope } from './retry-on-conflict.ts'

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `web-${index}`)
const hintOf = (count: number) => ({ pods: ['web-1'], slices: names(count), slicesVersion: '9' })
const ELSEWHERE = { kind: 'elsewhere', slices: ['other'] } as const

describe('the first sync', () => {
  it.each([
    ['where the hint says', { hint: hintOf(1) }, 1, { hint: hintOf(1), purpose: 'write' }],
    [
      'of it all after an earlier one',
      { hint: hintOf(1) },
      2,
      { fullSyncReason: 'NoHint', purpose: 'write' },
    ],
    ['of it all without a hint', {}, 1, { fullSyncReason: 'NoHint', purpose: 'write' }],
    [
      'of an audit, which counts',
      { audit: true as const },
      1,
      { fullSyncReason: 'NoHint', purpose: 'audit' },
    ],
    [
      'of an audit that failed before',
      { audit: true as const },
      2,
      { fullSyncReason: 'NoHint', purpose: 'write' },
    ],
  ])('is one %s', (_, message, receiveCount, scope) => {
    expect(firstScope({ ...KEY, ...message }, receiveCount)).toEqual(scope)
  })
})

describe('the next sync', () => {
  const hintedSync = (slices: number) => ({ hint: hintOf(slices), purpose: 'write' }) as const

  it('is at the same place where something changed', () => {
    expect(nextScope(hintedSync(2), { kind: 'changed' })).toEqual(hintedSync(2))
  })

  it('is also where somebody else has put a pod, up to as many slices as a hint may name', () => {
    const wider = nextScope(hintedSync(HINTED_SLICES - 1), ELSEWHERE)
    expect(wider.hint?.slices).toEqual([...names(HINTED_SLICES - 1), 'other'])
    expect(nextScope(hintedSync(HINTED_SLICES), ELSEWHERE)).toEqual({
      fullSyncReason: 'Contention',
      purpose: 'write',
    })
    const known = { kind: 'elsewhere', slices: ['web-0'] } as const
    expect(nextScope(hintedSync(HINTED_SLICES), known).hint?.slices).toEqual(names(HINTED_SLICES))
  })

  it('is at the whole Service where too much was written meanwhile', () => {
    expect(nextScope(hintedSync(1), { kind: 'contended' })).toEqual({
      fullSyncReason: 'Contention',
      purpose: 'write',
    })
  })

  it.each([
    ['compares where nothing else can tell whether it is right', 'unverified', 'compare'],
    ['writes where something changed', 'changed', 'write'],
    ['writes where too much was written meanwhile', 'contended', 'write'],
  ] as const)('at a whole Service %s, for the same reason as before', (_, kind, purpose) => {
    expect(nextScope({ fullSyncReason: 'NoHint', purpose: 'write' }, { kind })).toEqual({
      fullSyncReason: 'NoHint',
      purpose,
    })
  })
})
