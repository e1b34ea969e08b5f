import { describe, expect, it } from 'vitest'
import type { EndpointSlice } from '../endpointslice/index.ts'
import { KEY } from './memory-cluster.fixtures.ts'
import type { PlanSummary } from './plan/plan-service.ts'
import { verifyResult } from './retry-on-conflict.ts'
import { NOTHING_WRITTEN } from './slice-changes.ts'
import type { ServiceSync } from './sync/sync-service.ts'
import type { SyncResult } from './sync-result.ts'
import type { SyncInputs } from './verify-after-write.ts'

const slice: EndpointSlice = { metadata: { name: 'web-1' }, addressType: 'IPv4', endpoints: [] }
const WRITTEN = { ...NOTHING_WRITTEN, updated: [slice] }
const guarded = { acted: {}, isBlocked: false }
const conflict = { operation: 'update', slice: 'shop/web-1', error: new Error('conflict') } as never
const planned = {} as PlanSummary
const unread = { pods: new Set(['web-1']), known: new Map<string, string>() }
const SEEN: SyncInputs = { service: '1', pods: new Map(), unread }

/** Verifies a result. Returns the result, and what was verified against the cluster. */
async function resultOf(result: Partial<SyncResult>, relayVerifies = false) {
  const asked: [SyncInputs, boolean][] = []
  const attempt: Pick<ServiceSync, 'verify'> = {
    async verify(inputs, hasWritten) {
      asked.push([inputs, hasWritten])
      return { kind: 'contended' }
    },
  }
  const key = { ...KEY, ...(relayVerifies && { relayVerifies: true as const }) }
  const verification = await verifyResult(attempt as ServiceSync, key, { ...NOTHING_WRITTEN, ...result })
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
    ['that found all right', { guarded }, 'unchanged'],
  ])('%s asks the cluster nothing', async (_, result, kind) => {
    for (const relayVerifies of [false, true])
      expect(await resultOf(result, relayVerifies)).toEqual({ verification: { kind }, asked: [] })
  })

  it('that wrote is verified by all that it has seen', async () => {
    const { verification, asked } = await resultOf({ ...WRITTEN, inputs: SEEN, planned })
    expect([verification, asked]).toEqual([{ kind: 'contended' }, [[SEEN, true]]])
  })

  it('that wrote nothing is verified where pods may stand elsewhere, and nowhere else', async () => {
    expect((await resultOf({ inputs: SEEN })).asked).toEqual([[SEEN, false]])
    const none = { ...SEEN, unread: { ...unread, pods: new Set<string>() } }
    expect(await resultOf({ inputs: none })).toEqual({ verification: { kind: 'unchanged' }, asked: [] })
    const { unread: _, ...alone } = SEEN
    expect(await resultOf({ inputs: alone })).toEqual({ verification: { kind: 'unchanged' }, asked: [] })
  })

  it('that the relay verifies is asked for slices beside those that it made, and for nothing else', async () => {
    const seen = { ...SEEN, isVerifiable: true } as const
    const made = { ...seen, unread: { ...unread, hasCreated: true } }
    const expected = { ...made, unread: { ...made.unread, pods: new Set() } }
    expect((await resultOf({ ...WRITTEN, inputs: made, planned }, true)).asked).toEqual([[expected, false]])
    for (const inputs of [seen, { ...seen, unread: undefined }])
      expect(await resultOf({ ...WRITTEN, inputs: inputs as SyncInputs, planned }, true)).toEqual({
        verification: { kind: 'unchanged' },
        asked: [],
      })
  })

  it('of a Service that the relay verified once, and does not verify as it is now, is verified', async () => {
    expect((await resultOf({ ...WRITTEN, inputs: SEEN, planned }, true)).asked).toEqual([[SEEN, true]])
    const { verification } = await resultOf({ ...WRITTEN, planned }, true)
    expect(verification).toEqual({ kind: 'unverified' })
  })
})
