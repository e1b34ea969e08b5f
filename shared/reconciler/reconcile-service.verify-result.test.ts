import { describe, expect, it } from 'vitest'
import type { EndpointSlice } from '../endpointslice/index.ts'
import { verifyResult } from './reconcile-service.ts'
import { NOTHING_WRITTEN } from './slice-changes.ts'
import type { SyncResult } from './sync-result.ts'
import type { SyncInputs } from './verify-after-write.ts'

const slice: EndpointSlice = { metadata: { name: 'web-1' }, addressType: 'IPv4', endpoints: [] }
const WRITTEN = { ...NOTHING_WRITTEN, updated: [slice] }
const guarded = { acted: {}, isBlocked: false }
const conflict = { operation: 'update', slice: 'shop/web-1', error: new Error('conflict') } as never
const SEEN: SyncInputs = { service: '1', pods: new Map() }
const hint = { pods: ['web-1'], slices: ['web-1'] }

/** Verifies a result. Returns the verification, and what was verified against the cluster. */
async function resultOf(result: Partial<SyncResult>, { isRight = true, isHinted = false } = {}) {
  const asked: SyncInputs[] = []
  const attempt = { verify: async (inputs: SyncInputs) => asked.push(inputs) > 0 && isRight }
  const scope = isHinted ? { hint } : {}
  const verification = await verifyResult(attempt, scope, { ...NOTHING_WRITTEN, ...result })
  return { verification, asked }
}

describe('an attempt', () => {
  it.each<[string, Partial<SyncResult>, string]>([
    ['that conflicted', { conflict }, 'changed'],
    ['that conflicted once it had written', { ...WRITTEN, conflict }, 'contended'],
    ['that was not to write and had to', { outdated: new Map() }, 'changed'],
    ['that wrote what was held', { ...WRITTEN, guarded: { ...guarded, isReleased: true } }, 'changed'],
    ['that wrote nothing of what was held', { guarded: { ...guarded, isReleased: true } }, 'unchanged'],
    ['of which only another one can tell', { ...WRITTEN, guarded }, 'unverified'],
    ['that found all right', { guarded, inputs: SEEN }, 'unchanged'],
  ])('%s asks the cluster nothing', async (_, result, verification) => {
    expect(await resultOf(result)).toEqual({ verification, asked: [] })
  })

  it.each([
    [true, 'unchanged'],
    [false, 'changed'],
  ] as const)('that wrote is verified by all that it has seen: %s', async (isRight, verification) => {
    const result = await resultOf({ ...WRITTEN, inputs: SEEN }, { isRight })
    expect(result).toEqual({ verification, asked: [SEEN] })
  })

  it.each([
    ['wrote', WRITTEN, 'unchanged'],
    ['conflicted', { conflict }, 'changed'],
    ['conflicted once it had written', { ...WRITTEN, conflict }, 'contended'],
  ] as const)(
    'by a hint that %s asks the cluster nothing: the relay does',
    async (_, result, verification) => {
      expect(await resultOf(result, { isHinted: true })).toEqual({ verification, asked: [] })
    },
  )
})
