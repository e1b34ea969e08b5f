import { Registry } from 'prom-client'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Change, type ClusterIndex, createClusterIndex } from '../../../shared/changes/index.ts'
import { createApiClient } from '../../../shared/kubernetes/index.ts'
import type { KeyMessage, QueueSender } from '../../../shared/queue/index.ts'
import { createRelayMetrics, SILENT_LOG } from '../../../shared/telemetry/index.ts'
import { settle, soon } from '../relay.fixtures.ts'
import { ClusterLanes, type ClusterLanesOptions } from './cluster-lanes.ts'

const WEB: Change = { cluster: 'a', namespace: 'shop', service: 'web' }
const FOREIGN: Change = { ...WEB, cluster: 'b' }

describe('the lanes of a cluster', () => {
  let registry: Registry
  let sent: string[]
  let accepted: number
  let refused: Set<string>
  let isUp: boolean

  beforeEach(() => {
    const timers = ['setTimeout', 'clearTimeout', 'performance'] as const
    vi.useFakeTimers({ toFake: [...timers] })
    onTestFinished(() => void vi.useRealTimers())
    registry = new Registry()
    sent = []
    accepted = 0
    refused = new Set()
    isUp = true
  })

  const sender = (lane: string): QueueSender => ({
    async send(keys: readonly KeyMessage[], signal) {
      if (!isUp) await new Promise((resolve) => signal?.addEventListener('abort', resolve))
      if (!isUp) return { accepted: [], rejected: [], unsent: keys }
      const isRefused = ({ service }: KeyMessage): boolean => refused.has(service)
      const taken = keys.filter((key) => !isRefused(key))
      sent.push(...taken.map(({ cluster, service }) => `${lane} ${cluster} ${service}`))
      const rejected = keys.filter(isRefused).map((item) => ({ item, code: 'Invalid', reason: 'no' }))
      return { accepted: taken, rejected, unsent: [] }
    },
  })
  function start(
    settings: Partial<ClusterLanesOptions['settings']> = {},
    index: Partial<ClusterIndex> = {},
  ): ClusterLanes {
    const server = new URL('https://127.0.0.1:9')
    return new ClusterLanes({
      client: createApiClient({ name: 'a', server, credentials: async () => ({ headers: {} }) }),
      index: { ...createClusterIndex('a', 'custom'), ...index },
      settings: {
        coalescingWindow: 'auto',
        apiCallsPerSecond: 1_000,
        ...settings,
      } as ClusterLanesOptions['settings'],
      senders: { live: sender('live'), sweep: sender('sweep') },
      telemetry: { metrics: createRelayMetrics(registry), logger: SILENT_LOG },
      observer: {},
      onAccepted: () => accepted++,
    })
  }
  async function pass(ms: number): Promise<void> {
    vi.advanceTimersByTime(ms)
    await settle()
  }
  const taken = (): string[] => sent.splice(0)

  it('send a key that is swept again at once', async () => {
    const lanes = start()
    for (let time = 0; time < 2; time++) {
      lanes.add('sweep', 'sweep', [WEB])
      await pass(0)
      expect(taken()).toEqual(['sweep a web'])
    }
  })

  it('let keys of another cluster’s Services be delayed no longer, though nobody here sees them written', async () => {
    const lanes = start()
    async function delayOf(change: Change): Promise<number> {
      lanes.add('live', 'pod', [change])
      await pass(0)
      taken()
      lanes.add('live', 'pod', [change])
      await pass(0)
      let ms = 0
      for (; taken().length === 0; ms += 100) await pass(100)
      await pass(10_000)
      return ms
    }
    const rests: [own: number, foreign: number][] = []
    for (let time = 0; time < 6; time++) rests.push([await delayOf(WEB), await delayOf(FOREIGN)])
    expect(rests.map(([, foreign]) => foreign)).toEqual(Array(6).fill(500))
    expect(rests.at(-1)?.[0]).toBe(2_000)
  })

  it('let no change wait for as long as a sweep took', async () => {
    const lanes = start()
    const swept = Array.from({ length: 50 }, (_, number) => ({ ...WEB, service: `web-${number}` }))
    lanes.add('sweep', 'start', swept)
    await pass(30_000)
    for (const key of swept) lanes.written(key)
    lanes.add('live', 'service', [WEB])
    await pass(0)
    taken()
    lanes.add('live', 'service', [WEB])
    await pass(500)
    expect(taken()).toEqual(['live a web'])
  })

  it('report what was accepted, and count by lane what is rejected permanently', async () => {
    refused.add('odd')
    const lanes = start()
    lanes.add('live', 'pod', [{ ...WEB, service: 'odd' }])
    await pass(0)
    expect(accepted).toBe(0)
    lanes.add('sweep', 'sweep', [WEB, { ...WEB, service: 'api' }])
    await pass(0)
    expect(accepted).toBe(1)
    const lines = (await registry.metrics()).split('\n').filter((line) => /^sliceflow_relay_keys/.test(line))
    expect(lines.map((line) => line.slice('sliceflow_relay_keys_'.length))).toEqual([
      'sent_total{cluster="a",lane="sweep"} 2',
      'rejected_total{cluster="a",lane="live"} 1',
      'rejected_total{cluster="a",lane="sweep"} 0',
    ])
  })

  it('say in seconds for how long their oldest key waits, and at the end how many are left', async () => {
    isUp = false
    const lanes = start()
    lanes.add('live', 'pod', [WEB])
    await pass(5_000)
    lanes.add('live', 'pod', [FOREIGN])
    lanes.add('sweep', 'sweep', [WEB])
    await pass(2_500)
    expect(lanes.readings()).toEqual([
      { lane: 'live', pending: 2, oldestSeconds: 7.5 },
      { lane: 'sweep', pending: 1, oldestSeconds: 2.5 },
    ])
    expect([...lanes.waiting()].sort()).toEqual(['a/shop/web', 'b/shop/web'])
    vi.useRealTimers()
    expect(await lanes.drain(soon())).toBe(3)
  })

  it('need nobody who hears of a key that is settled', async () => {
    const lanes = start({}, { isPublished: () => true })
    for (let time = 0; time < 2; time++) {
      lanes.add('live', 'pod', [{ ...WEB, pods: ['web-1'] }])
      await pass(0)
    }
    await pass(10_000)
    expect([taken(), lanes.waiting().size]).toEqual([['live a web'], 0])
  })
})
