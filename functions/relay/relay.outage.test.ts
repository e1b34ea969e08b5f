import { readdir } from 'node:fs/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Relay } from './index.ts'
import { EVERY_KEY, never, pod, service, useRelays } from './relay.fixtures.ts'

describe('a relay, after an outage of its watches', () => {
  const scene = useRelays()
  const { cluster, metric, runOnce, shop, start, untilSent } = scene

  async function outage(relay: Relay, seconds: number): Promise<void> {
    await relay.synced
    await untilSent(...EVERY_KEY)
    scene.queue.taken()
    const failing = async (count: number): Promise<void> =>
      vi.waitFor(
        async () =>
          expect((await metric('watch_failing')).filter((line) => line.endsWith(' 1'))).toHaveLength(count),
        { timeout: 15_000 },
      )
    scene.server.setDown(true)
    await failing(4)
    const clock = performance.now.bind(performance)
    const later = vi.spyOn(performance, 'now').mockImplementation(() => clock() + seconds * 1000)
    onTestFinished(() => later.mockRestore())
    scene.server.setDown(false)
    await failing(0)
  }

  it('of 30 s sends every key once', async () => {
    shop()
    const relay = start(['a'])
    await outage(relay, 31)
    await untilSent(...EVERY_KEY)
    expect(await metric('keys_swept_total')).toContain(
      'sliceflow_relay_keys_swept_total{cluster="a",reason="outage"} 2',
    )
  })

  it('waits with keys that were swept within the sweep lane’s window', async () => {
    shop()
    const relay = start(['a'], { sweepCoalescingWindow: 300 })
    await outage(relay, 31)
    await vi.waitFor(
      async () =>
        expect(await metric('keys_pending')).toContain(
          'sliceflow_relay_keys_pending{cluster="a",lane="sweep"} 2',
        ),
      15_000,
    )
    expect(scene.queue.taken()).toEqual([])
    await relay.stop(never)
    expect(scene.queue.taken()).toEqual(EVERY_KEY)
  })

  it('of 30 s sends the keys of other clusters’ Services that take its pods, while it lasts', async () => {
    cluster('a').put('services', service('web', { 'sliceflow.dev/cluster': 'b' }))
    cluster('b').put('pods', pod('web', '10.0.0.1'))
    const relay = start(['a', 'b'])
    await relay.synced
    const swept = async (): Promise<string[]> =>
      (await metric('keys_swept_total')).filter((line) => line.includes('reason="outage"'))
    scene.server.setDown(true)
    await vi.waitFor(async () => expect((await metric('watch_failing')).join()).toMatch(/"b".*} 1/), 15_000)
    expect(await swept()).toEqual([])
    scene.queue.taken()
    const clock = performance.now.bind(performance)
    const later = vi.spyOn(performance, 'now').mockImplementation(() => clock() + 31_000)
    onTestFinished(() => later.mockRestore())
    await vi.waitFor(
      async () =>
        expect(await swept()).toEqual(['sliceflow_relay_keys_swept_total{cluster="b",reason="outage"} 1']),
      { timeout: 15_000 },
    )
    await untilSent('sweep a/shop/web')
  })

  it('of a few seconds sends nothing', async () => {
    const a = shop()
    const relay = start(['a'])
    await outage(relay, 10)
    a.put('pods', pod('web', '10.0.0.9'))
    await untilSent('live a/shop/web')
  })

  it('leaves no checkpoint if it ends within one', async () => {
    shop()
    await runOnce()
    const relay = start(['a'])
    await relay.synced
    expect(await readdir(scene.directory)).toHaveLength(1)
    scene.server.setDown(true)
    await vi.waitFor(async () => expect((await metric('watch_failing')).join()).toContain('} 1'), 15_000)
    const clock = performance.now.bind(performance)
    const later = vi.spyOn(performance, 'now').mockImplementation(() => clock() + 31_000)
    onTestFinished(() => later.mockRestore())
    await relay.stop(never)
    expect(await readdir(scene.directory)).toEqual([])
  })
})
