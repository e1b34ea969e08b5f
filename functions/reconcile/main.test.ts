import type { Context } from 'aws-lambda'
import { afterEach, expect, it, vi } from 'vitest'
import { handler } from './main.ts'

afterEach(() => vi.unstubAllEnvs())

it('starts with the first event whose environment is right, after any earlier failure', async () => {
  const call = () => handler({ Records: [] }, {} as Context)
  for (const _ of [1, 2]) await expect(call()).rejects.toThrow('SLICEFLOW_LIVE_QUEUE_URL: must be set')
  for (const queue of ['LIVE_QUEUE', 'LIVE_DEAD_LETTERS', 'SWEEP_QUEUE', 'SWEEP_DEAD_LETTERS'])
    vi.stubEnv(`SLICEFLOW_${queue}_URL`, `http://127.0.0.1:9/1/${queue}`)
  vi.stubEnv('SLICEFLOW_CLUSTERS', '[{"name":"eu-1","kind":"eks","clusterName":"eu-1","region":"eu-west-1"}]')
  await expect(call()).rejects.toThrow(/^the event is of queue/)
})
