import { describe, expect, it } from 'vitest'
import { measureService, scaleTo } from './scale.ts'
import { churnWorkload } from './workloads/index.ts'

const settings = { maximumConcurrency: 5, apiCallsPerSecond: 1000, relayGb: 0.5 }

describe('the load of many clusters', () => {
  it('follows from the measured load of one of their Services', async () => {
    const size = { services: 20, endpoints: 50, nodes: 10 }
    const load = await measureService(
      churnWorkload(size, { seed: 1, duration: 600, meanChange: 300, recovery: 30 }),
    )
    // Each of 50 Pods changes every 300 s; coalescing merges a few changes.
    expect(load.messagesPerSecond).toBeGreaterThan(0.8 * (50 / 300))
    expect(load.messagesPerSecond).toBeLessThan(1.2 * (50 / 300))
    expect(load.callSeconds).toBeGreaterThan(0.014)
    expect(load.callSeconds).toBeLessThan(0.041)
    // A few hundred bytes per Pod.
    expect(load.relayBytes).toBeGreaterThan(50 * 100)
    expect(load.relayBytes).toBeLessThan(50 * 4000)
  })

  it('names the first limit that is reached, and the setting that raises it', () => {
    const load = {
      messagesPerSecond: 1,
      callsPerSecond: 1,
      apiCallsPerSecond: 4,
      gbSecondsPerSecond: 0.02,
      callSeconds: 0.04,
      relayBytes: 10_000,
    }
    const of = (clusters: number, services: number, more = {}) =>
      scaleTo(load, { clusters, services }, { ...settings, ...more })
    expect(of(1, 500).uses[0]).toMatchObject({ what: 'function calls at once', share: 4 })
    expect(of(1, 500, { maximumConcurrency: 1000 }).uses[0]).toMatchObject({ what: 'API calls', share: 2 })
    const quiet = { ...load, callsPerSecond: 0.0001, apiCallsPerSecond: 0.0001 }
    const large = scaleTo(quiet, { clusters: 10_000, services: 100 }, settings)
    expect(large.uses[0]).toMatchObject({
      what: 'relay memory',
      setting: `shard INDEX/${large.shards}, or a larger task`,
    })
    expect(large.shards).toBe(Math.ceil(1e10 / (0.3e9 - 90e6)))
  })
})
