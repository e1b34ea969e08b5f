import { describe, expect, it, vi } from 'vitest'
import type { SettingsInput } from '../../shared/settings/index.ts'
import { EVERY_KEY, pod, service, useRelays } from './relay.fixtures.ts'

describe('a relay', () => {
  const scene = useRelays()
  const { cluster, metric, shop, start, untilSent } = scene

  it('sends every key at its first start, and changes from then on', async () => {
    const a = shop()
    const relay = start(['a'])
    await relay.synced
    await untilSent(...EVERY_KEY)
    scene.queue.taken()
    a.put('pods', pod('web', '10.0.0.9'))
    await untilSent('live a/shop/web')
    expect(await metric('keys_sent_total')).toEqual([
      'sliceflow_relay_keys_sent_total{cluster="a",lane="sweep"} 2',
      'sliceflow_relay_keys_sent_total{cluster="a",lane="live"} 1',
    ])
  })

  it('is ready when every cluster was listed', async () => {
    shop()
    scene.server.setDown(true)
    const relay = start(['a'])
    await vi.waitFor(async () => expect((await metric('watch_failing')).join()).toContain('} 1'), 15_000)
    expect(relay.health()).toMatchObject({ live: { ok: true }, ready: { ok: false } })
    scene.server.setDown(false)
    await relay.synced
    expect(relay.health().ready.ok).toBe(true)
  })

  it('harms no other key when the queue is down for long, and loses none', async () => {
    const a = shop()
    scene.queue.setUp(false)
    const relay = start(['a'])
    await relay.synced
    for (let change = 0; change < 50; change++) a.put('pods', pod('web', `10.0.1.${change}`))
    a.put('pods', pod('api', '10.0.1.1'))
    await vi.waitFor(
      async () => expect((await metric('events_total{cluster="a",kind="pods"')).join()).toContain(' 51'),
      15_000,
    )
    expect(
      Number((await metric('oldest_pending_key_seconds{cluster="a",lane="live"}'))[0]?.split(' ')[1]),
    ).toBeGreaterThan(0)
    scene.queue.setUp(true)
    await vi.waitFor(() => expect(new Set(scene.queue.sent)).toContain('live a/shop/api'), 15_000)
    await vi.waitFor(
      async () => expect((await metric('keys_pending')).join()).toMatch(/lane="live"} 0/),
      15_000,
    )
    expect(new Set(scene.queue.taken())).toEqual(
      new Set([...EVERY_KEY, 'live a/shop/api', 'live a/shop/web']),
    )
  })

  it('passes over malformed objects, tells of them once, and follows the others', async () => {
    const a = shop()
    const relay = start(['a'])
    await relay.synced
    await untilSent(...EVERY_KEY)
    scene.queue.taken()
    for (let time = 0; time < 3; time++)
      scene.server.send('a', 'pods', '{"type":"MODIFIED","object":{"metadata":{"name":7}}}\n')
    scene.server.send(
      'a',
      'pods',
      '{"type":"ADDED","object":null}\n{"type":"ADDED","object":{"metadata":null}}\n',
    )
    scene.server.send(
      'a',
      'services',
      '{"type":"ADDED","object":{"metadata":{"name":"a/b","namespace":"shop","uid":"u"},"spec":{}}}\n',
    )
    a.put('pods', pod('web', '10.0.0.9'))
    await untilSent('live a/shop/web')
    expect(await metric('malformed_objects_total')).toEqual([
      'sliceflow_relay_malformed_objects_total{cluster="a",kind="pods"} 5',
      'sliceflow_relay_malformed_objects_total{cluster="a",kind="services"} 1',
    ])
    expect(scene.log.filter(({ msg }) => msg.includes('malformed'))).toHaveLength(3)
  })

  describe('of a shard', () => {
    const names = Array.from({ length: 12 }, (_, index) => `c${index}`)
    const shard = (index: number): SettingsInput => ({ shard: `${index}/2`, stateDir: '' })

    it('follows its clusters only, and the other one the others', async () => {
      for (const name of names) shop(name)
      const [first, second] = [start(names, shard(0)), start(names, shard(1))]
      await Promise.all([first.synced, second.synced])
      expect([...first.clusters, ...second.clusters].sort()).toEqual([...names].sort())
      for (const relay of [first, second]) expect(relay.clusters.length).toBeGreaterThan(0)
      for (const name of names) expect(scene.server.lists(name, 'services')).toBe(1)
    })

    it('follows pods of another shard’s cluster for its Services that take them', async () => {
      const first = start(names, shard(0))
      const [own = ''] = first.clusters
      const foreign = names.find((name) => !first.clusters.includes(name)) ?? ''
      await first.synced
      expect(scene.server.lists(foreign, 'pods')).toBe(0)
      cluster(own).put('services', service('web', { 'sliceflow.dev/cluster': foreign }))
      await vi.waitFor(() => expect(scene.queue.sent).toContain(`sweep ${own}/shop/web`), 15_000)
      scene.queue.taken()
      cluster(foreign).put('pods', pod('web', '10.0.0.1'))
      cluster(foreign).put('services', service('api'))
      cluster(foreign).put('pods', pod('api', '10.0.0.2'))
      await untilSent(`live ${own}/shop/web`)
      expect(scene.server.lists(foreign, 'services')).toBe(0)
    })
  })
})
