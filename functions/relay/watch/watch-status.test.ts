import { Registry } from 'prom-client'
import { beforeEach, describe, expect, it } from 'vitest'
import { createRelayMetrics } from '../../../shared/telemetry/index.ts'
import { createWatchStatus, type WatchStatus } from './watch-status.ts'

const MINUTE = 60_000
const SIGNS = ['listed', 'opened', 'received', 'bookmark', 'failed', 'recovered'] as const

describe('the status of a watch', () => {
  let clock: number
  let registry: Registry
  let status: WatchStatus

  beforeEach(() => {
    clock = 1_000
    registry = new Registry()
    const metrics = createRelayMetrics(registry)
    status = createWatchStatus({ cluster: 'a', kind: 'pods', metrics, now: () => clock })
  })
  const counted = async (name: string): Promise<number> => {
    const text = await registry.getSingleMetricAsString(`sliceflow_relay_${name}_total`)
    return Number(/\} (\d+)$/m.exec(text)?.[1] ?? 0)
  }

  it('is idle from its start until it does anything', () => {
    expect(status.idleMs()).toBe(0)
    clock += 5 * MINUTE
    expect(status.idleMs()).toBe(5 * MINUTE)
  })

  it.each(SIGNS)('is never idle for long where it is %s again and again, for an hour', (sign) => {
    for (let minute = 0; minute < 60; minute++) {
      clock += MINUTE
      expect(status.idleMs()).toBe(MINUTE)
      status[sign]()
      expect(status.idleMs()).toBe(0)
    }
  })

  it('says for how long neither a byte nor a bookmark has come, each by itself, once there was one', () => {
    expect(status.reading()).toEqual({ kind: 'pods', failing: false })
    status.received()
    clock += 7_000
    status.bookmark()
    clock += 5_000
    expect(status.reading()).toMatchObject({ secondsSinceLastByte: 12, secondsSinceLastBookmark: 5 })
    status.received()
    expect(status.reading()).toMatchObject({ secondsSinceLastByte: 0, secondsSinceLastBookmark: 5 })
  })

  it('is failing from a failure until it has recovered, each time', () => {
    for (let time = 0; time < 2; time++) {
      status.failed()
      status.failed()
      expect(status.reading().failing).toBe(true)
      status.recovered()
      expect(status.reading().failing).toBe(false)
    }
  })

  it('counts failures, and of lists and watches all but the first', async () => {
    for (let time = 0; time < 3; time++) {
      status.listed()
      status.opened()
      status.failed()
    }
    expect([await counted('relists'), await counted('reconnects'), await counted('watch_failures')]).toEqual([
      2, 2, 3,
    ])
  })
})
