import type { Context } from 'aws-lambda'
import { afterEach, expect, it, vi } from 'vitest'
import { handler } from './main.ts'
import { createAuditSlots, SLOT_SECONDS } from './slots.ts'

afterEach(() => vi.unstubAllEnvs())

it('starts with the first event whose environment is right, after any earlier failure', async () => {
  const slots = createAuditSlots(86_400)
  const slot = Array.from({ length: slots.count }, (_, index) => index).find(
    (index) => slots.partOf('eu-1', index) === undefined,
  )
  // It is not the cluster's turn: nothing is asked of it.
  const time = new Date(((slot ?? 0) + 0.5) * SLOT_SECONDS * 1000).toISOString()
  const context = { getRemainingTimeInMillis: () => 60_000 } as Context
  const call = async () => handler({ time } as never, context, () => {})
  for (const _ of [1, 2]) await expect(call()).rejects.toThrow('SLICEFLOW_CLUSTERS: must be set')
  vi.stubEnv('SLICEFLOW_SWEEP_QUEUE_URL', 'http://127.0.0.1:9/1/sweep')
  vi.stubEnv('SLICEFLOW_CLUSTERS', '[{"name":"eu-1","kind":"eks","clusterName":"eu-1","region":"eu-west-1"}]')
  await expect(call()).resolves.toBeUndefined()
})
