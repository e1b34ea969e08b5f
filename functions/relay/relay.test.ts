import { describe, expect, it } from 'vitest'
import type { SettingsInput } from '../../shared/settings/index.ts'
import { EVERY_KEY, pod, service, soon, useRelays } from './relay.fixtures.ts'

/** Matches the version of an object. */
const version = expect.stringMatching(/^\d+$/)

describe('a relay', () => {
  const scene = useRelays()
  const { cluster, metric, passTime, shop, start, untilSent } = scene

  it.each([
    [false, { pods: ['web-1'], slices: ['web-1'], sliceVersions: [version] }],
    [true, undefined],
  ])(
    'sends every key at its start, and then says where looking suffices; in shadow mode (%j): %j',
    async (shadow, hint) => {
      const a = shop()
      const relay = start(['a'], { shadow })
      await relay.synced
      await untilSent(...EVERY_KEY)
      scene.queue.taken()
      a.put('pods', pod('web', '10.0.0.9'))
      await untilSent('live a/shop/web')
      const [start1, start2, live] = scene.queue.messages
      for (const message of [start1, start2]) expect(message?.hint).toBeUndefined()
      if (hint === undefined) expect(live?.hint).toBeUndefined()
      else expect(live?.hint).toMatchObject(hint)
      expect(live?.nodesVersion).toMatch(/^\d+$/)
      expect(live).not.toHaveProperty('pods')
    },
  )

  it('is ready when every cluster was listed', async () => {
    shop()
    scene.server.setDown(true)
    const relay = start(['a'])
    await expect.poll(async () => (await metric('watch_failing')).join()).toContain('} 1')
    expect(relay.health()).toMatchObject({
      live: { ok: true },
      ready: { ok: false, reason: 'not listed yet: a' },
    })
    passTime(31)
    expect(relay.health()).toMatchObject({
      live: { ok: true },
      ready: { ok: false, reason: 'no cluster can be reached: a' },
    })
    scene.server.setDown(false)
    await relay.synced
    expect(relay.health().ready.ok).toBe(true)
  })

  it('lives and is ready for as long as its quiet watches get a bookmark now and then, and no longer', async () => {
    shop()
    const relay = start(['a'])
    await relay.synced
    await scene.watching('a')
    const kinds = ['services', 'pods', 'nodes', 'endpointslices']
    const bookmarks = async (): Promise<number> =>
      (await metric('watch_last_bookmark_seconds')).filter((line) => Number(line.split(' ')[1]) < 60).length
    for (let round = 0; round < 3; round++) {
      passTime(4 * 60)
      expect(relay.health()).toMatchObject({ live: { ok: true }, ready: { ok: true } })
      for (const kind of kinds)
        scene.server.send('a', kind, '{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"99"}}}\n')
      await expect.poll(bookmarks).toBe(4)
    }
    passTime(6 * 60)
    expect(relay.health()).toMatchObject({ live: { ok: false }, ready: { ok: false } })
  })

  it('harms no other key when the queue is down for long, and loses none', async () => {
    const a = shop()
    scene.queue.setUp(false)
    const relay = start(['a'])
    await relay.synced
    for (let change = 0; change < 50; change++) a.put('pods', pod('web', `10.0.1.${change}`))
    a.put('pods', pod('api', '10.0.1.1'))
    await expect
      .poll(async () => (await metric('events_total{cluster="a",kind="pods"')).join())
      .toContain(' 51')
    expect(
      Number((await metric('oldest_pending_key_seconds{cluster="a",lane="live"}'))[0]?.split(' ')[1]),
    ).toBeGreaterThan(0)
    scene.queue.setUp(true)
    await expect.poll(() => new Set(scene.queue.sent)).toContain('live a/shop/api')
    await expect.poll(async () => (await metric('keys_pending')).join()).toMatch(/lane="live"} 0/)
    expect(new Set(scene.queue.taken())).toEqual(
      new Set([...EVERY_KEY, 'live a/shop/api', 'live a/shop/web']),
    )
  })

  it('passes over malformed objects, reports them once, and follows the others', async () => {
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
      await expect.poll(() => scene.queue.sent).toContain(`sweep ${own}/shop/web`)
      scene.queue.taken()
      cluster(foreign).put('pods', pod('web', '10.0.0.1'))
      cluster(foreign).put('services', service('api'))
      cluster(foreign).put('pods', pod('api', '10.0.0.2'))
      await untilSent(`live ${own}/shop/web`)
      expect(scene.server.lists(foreign, 'services')).toBe(0)
    })

    it('follows such a cluster again that was recreated, or went and came back', async () => {
      const all = names.map((name) => scene.client(name))
      const first = start(names, shard(0))
      const [own = ''] = first.clusters
      const foreign = names.find((name) => !first.clusters.includes(name)) ?? ''
      const kept = all.filter((client) => client.cluster !== foreign)
      const watched = (watches: number) => scene.watching(foreign, watches)
      await first.follow(all, soon())
      cluster(own).put('services', service('web', { 'sliceflow.dev/cluster': foreign }))
      for (let time = 0; time < 2; time++) {
        await watched(2)
        await first.follow([...kept, scene.client(foreign)], soon())
        await watched(2)
        await first.follow(kept, soon())
        await watched(0)
        await first.follow([...kept, scene.client(foreign)], soon())
      }
      await watched(2)
      scene.queue.taken()
      cluster(foreign).put('pods', pod('web', '10.0.0.1'))
      await untilSent(`live ${own}/shop/web`)
    })

    it('follows none that went before a Service named it', async () => {
      const all = names.map((name) => scene.client(name))
      const first = start([], shard(0))
      await first.follow(all, soon())
      const [own = ''] = first.clusters
      const foreign = names.find((name) => !first.clusters.includes(name)) ?? ''
      await first.follow(
        all.filter((client) => client.cluster !== foreign),
        soon(),
      )
      cluster(own).put('services', service('web', { 'sliceflow.dev/cluster': foreign }))
      await expect.poll(() => scene.queue.sent).toContain(`sweep ${own}/shop/web`)
      expect(scene.server.lists(foreign, 'pods')).toBe(0)
    })

    it('shows as failing those of its own clusters that cannot be followed, and of no other', async () => {
      const own = start(names, shard(0)).clusters
      start([], shard(0), {}, { unfollowed: () => names })
      const shown = (await metric('watch_failing{')).map((line) => /cluster="([^"]+)"/.exec(line)?.[1])
      expect(shown.sort()).toEqual([...own].sort())
      expect(shown.length).toBeLessThan(names.length)
    })
  })
})
