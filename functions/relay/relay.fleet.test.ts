import { describe, expect, it } from 'vitest'
import { pod, service, soon, useRelays } from './relay.fixtures.ts'

describe('a relay whose clusters come and go', () => {
  const scene = useRelays()
  const { client, cluster, shop, start } = scene

  const lists = (name: string) => scene.server.lists(name, 'pods')

  it('takes one up and leaves one while the watches of the others go on', async () => {
    const [a] = [shop('a'), shop('b'), shop('c')]
    const [first, second, third] = [client('a'), client('b'), client('c')]
    const relay = start([])
    await relay.follow([first, second], soon())
    await Promise.all([scene.watching('a'), scene.watching('b')])
    await relay.follow([first, third], soon())
    await scene.watching('c')
    expect(relay.clusters).toEqual(['a', 'c'])
    await expect.poll(() => scene.server.watchers('b')).toBe(0)
    expect([lists('a'), lists('b'), lists('c')]).toEqual([1, 1, 1])
    scene.queue.taken()
    a.put('pods', pod('web', '10.0.0.9'))
    await scene.untilSent('live a/shop/web')
    expect([lists('a'), lists('c')]).toEqual([1, 1])
  })

  it('does not wait for a cluster whose credentials hang', async () => {
    shop('a')
    const hanging = { ...client('b'), pages: () => neverEnding(), watch: () => new Promise<never>(() => {}) }
    const relay = start([])
    await relay.follow([client('a'), hanging], soon())
    await scene.watching('a')
    const last = client('a')
    await relay.follow([last], soon())
    expect(relay.clusters).toEqual(['a'])
    await scene.watching('a')
  })

  it('watches a cluster again that has another client', async () => {
    shop('a')
    const relay = start([])
    await relay.follow([client('a')], soon())
    await scene.watching('a')
    await relay.follow([client('a')], soon())
    await expect.poll(() => lists('a')).toBe(2)
    await scene.watching('a')
    await relay.follow([...relay.clusters].map(client), soon())
    await expect.poll(() => lists('a')).toBe(3)
    await scene.watching('a')
    expect(lists('a')).toBe(3)
  })

  it('forgets the Services of one that went, which took pods of another', async () => {
    cluster('a').put('services', service('web', { 'sliceflow.dev/cluster': 'b' }))
    const b = shop('b')
    const [first, second] = [client('a'), client('b')]
    const relay = start([])
    await relay.follow([first, second], soon())
    await Promise.all([scene.watching('a'), scene.watching('b')])
    b.put('pods', pod('web', '10.0.0.8'))
    await expect.poll(() => scene.queue.sent).toContain('live a/shop/web')
    await relay.follow([second], soon())
    scene.queue.taken()
    b.put('pods', pod('web', '10.0.0.9'))
    await scene.untilSent('live b/shop/web')
  })

  it('shows the watches of a cluster of which it takes pods alone', async () => {
    const names = Array.from({ length: 6 }, (_, index) => `c${index}`)
    const relay = start(names, { shard: '0/2', stateDir: '' })
    const foreign = names.find((name) => !relay.clusters.includes(name)) ?? expect.fail()
    const shown = async () =>
      (await scene.metric('cluster_synced')).filter((line) => line.includes(`"${foreign}"`))
    expect(await shown()).toEqual([])
    cluster(relay.clusters[0] ?? '').put('services', service('web', { 'sliceflow.dev/cluster': foreign }))
    await expect.poll(shown).toEqual([`sliceflow_relay_cluster_synced{cluster="${foreign}"} 1`])
  })
})

async function* neverEnding(): AsyncGenerator<never> {
  await new Promise(() => {})
}
