import { readdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { type ApiClient, ConnectionError } from '../../shared/kubernetes/index.ts'
import type { Relay } from './index.ts'
import { EVERY_KEY, never, pod, service, soon, useRelays } from './relay.fixtures.ts'

describe('a relay, after an outage of its watches', () => {
  const scene = useRelays()
  const { cluster, metric, passTime, runOnce, shop, start, untilSent } = scene

  async function outage(relay: Relay, seconds: number): Promise<void> {
    await relay.synced
    await untilSent(...EVERY_KEY)
    scene.queue.taken()
    const failing = async (count: number): Promise<void> =>
      expect
        .poll(async () => (await metric('watch_failing')).filter((line) => line.endsWith(' 1')))
        .toHaveLength(count)
    scene.server.setDown(true)
    await failing(4)
    passTime(seconds)
    scene.server.setDown(false)
    await failing(0)
  }

  it('of 30 s sends every key once, though it has no state directory', async () => {
    shop()
    const relay = start(['a'], { stateDir: '' })
    await outage(relay, 31)
    await untilSent(...EVERY_KEY)
    expect(await metric('keys_swept_total')).toContain(
      'sliceflow_relay_keys_swept_total{cluster="a",reason="outage"} 2',
    )
  })

  it('of 30 s that was over before its first lists were complete sends every key, even with a checkpoint', async () => {
    shop()
    await runOnce()
    const real = scene.client('a')
    const nodes = Promise.withResolvers<void>()
    let isRefusing = true
    const client: ApiClient = {
      ...real,
      async *pages(resource, options) {
        if (resource.kind === 'Node') await nodes.promise
        if (resource.kind === 'Pod' && isRefusing) throw new ConnectionError('failed to list', 'ECONNREFUSED')
        yield* real.pages(resource, options)
      },
    }
    const relay = start([])
    await relay.follow([client], soon())
    const failing = (count: number): Promise<void> =>
      expect.poll(async () => (await metric('watch_failing')).join()).toContain(`"pods"} ${count}`)
    await failing(1)
    // The lists of the others are over: calls that are under way must not take 31 s.
    await scene.watching('a', 2)
    passTime(31)
    isRefusing = false
    await failing(0)
    nodes.resolve()
    await untilSent(...EVERY_KEY)
    const line = scene.log.findLast(({ msg }) => msg.includes('no checkpoint, so'))
    expect(line).toMatchObject({ reason: 'the cluster could not be reached for a while' })
  })

  it('takes as much silence for failed as it counts to the outage: 80 s', async () => {
    const real = scene.client('a')
    const silences: number[] = []
    const client: ApiClient = {
      ...real,
      async watch(_, options) {
        silences.push(options.inactivityMs)
        throw new ConnectionError('silent', 'ESILENT')
      },
    }
    shop()
    const relay = start([])
    await relay.follow([client], soon())
    await expect.poll(() => silences.length).toBeGreaterThanOrEqual(4)
    expect(new Set(silences)).toEqual(new Set([80_000]))
  })

  it('sends every key each time, and keeps a checkpoint again once it is over', async () => {
    shop()
    const relay = start(['a'])
    for (let time = 0; time < 2; time++) await outage(relay, 31)
    await untilSent(...EVERY_KEY)
    await relay.stop(never)
    scene.queue.taken()
    expect(await runOnce()).toEqual([])
  })

  it('of 30 s sends the keys of other clusters’ Services that take its pods, while it lasts, and says so', async () => {
    cluster('a').put('services', service('web', { 'sliceflow.dev/cluster': 'b' }))
    cluster('b').put('pods', pod('web', '10.0.0.1'))
    const relay = start(['a', 'b'])
    await relay.synced
    const swept = async (): Promise<string[]> =>
      (await metric('keys_swept_total')).filter((line) => line.includes('reason="outage"'))
    scene.server.setDown(true)
    await expect.poll(async () => (await metric('watch_failing')).join()).toMatch(/"b".*} 1/)
    expect(await swept()).toEqual([])
    scene.queue.taken()
    passTime(31)
    await expect.poll(swept).toEqual(['sliceflow_relay_keys_swept_total{cluster="b",reason="outage"} 1'])
    await untilSent('sweep a/shop/web')
    const lines = (words: string) => scene.log.filter(({ msg }) => msg.includes(words))
    expect(lines('cannot be reached: checking')).toMatchObject([{ cluster: 'b', keys: 1, level: 'warn' }])
    scene.server.setDown(false)
    await expect
      .poll(() =>
        lines('is back after an outage')
          .map((line) => [line.cluster, line.keys])
          .sort(),
      )
      .toEqual([
        ['a', 1],
        ['b', 1],
      ])
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
    await expect.poll(async () => (await metric('watch_failing')).join()).toContain('} 1')
    passTime(31)
    await relay.stop(never)
    expect(await readdir(scene.directory)).toEqual([])
  })
})
