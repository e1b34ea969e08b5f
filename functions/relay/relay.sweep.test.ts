import { describe, expect, it } from 'vitest'
import type { Pod } from '../../shared/endpointslice/index.ts'
import type { MemoryCluster } from '../../test/support/list-watch-server.ts'
import { EVERY_KEY, never, placed, service, useRelays, writeShop, writeSlices } from './relay.fixtures.ts'

const OFTEN = { sweepInterval: 0.1 }

describe('a sweep of a relay', () => {
  const scene = useRelays()
  const { cluster, metric, start } = scene
  function shop(): MemoryCluster {
    writeShop(cluster('a'))
    return cluster('a')
  }
  const swept = async (): Promise<string[]> =>
    (await metric('keys_swept_total')).filter((line) => line.includes('reason="sweep"'))
  const sweeps = (): number => scene.log.filter(({ msg }) => msg.startsWith('swept the cluster')).length

  it('sends nothing where every slice is right', async () => {
    shop()
    const relay = start(['a'], {}, OFTEN)
    await relay.synced
    await expect.poll(sweeps).toBeGreaterThanOrEqual(3)
    expect(await swept()).toEqual(['sliceflow_relay_keys_swept_total{cluster="a",reason="sweep"} 0'])
  })

  it('sends a key whose slices hold an address that is refused, and none whose slices lack it', async () => {
    const a = shop()
    const second: Pod = { ...placed('web', '10.66.0.1') }
    second.metadata = { name: 'web-2', namespace: 'shop', uid: 'uid-web-2', labels: { app: 'web' } }
    a.put('pods', second)
    const relay = start(['a'], { refusedAddresses: '10.66.0.0/16' }, OFTEN)
    await relay.synced
    await expect.poll(sweeps).toBeGreaterThanOrEqual(3)
    expect(await swept()).toEqual(['sliceflow_relay_keys_swept_total{cluster="a",reason="sweep"} 0'])
    await relay.stop(never)
    scene.queue.taken()
    const other = start(['a'], { refusedAddresses: '10.0.0.0/16' }, OFTEN)
    await other.synced
    // Once for the start, and then for a sweep.
    const times = (key: string): number => scene.queue.sent.filter((each) => each === key).length
    await expect.poll(() => EVERY_KEY.map(times).every((count) => count > 1)).toBe(true)
  })

  it('sends at once what functions with other settings publish of a refused address', async () => {
    const a = shop()
    const relay = start(['a'], { refusedAddresses: '10.66.0.0/16' })
    await relay.synced
    await scene.untilSent(...EVERY_KEY)
    await scene.watching('a')
    a.put('pods', placed('web', '10.66.0.1'))
    await expect.poll(() => scene.queue.taken()).toContain('live a/shop/web')
    writeSlices(a, service('web'), '10.66.0.1')
    await expect.poll(() => scene.queue.taken()).toContain('live a/shop/web')
  })

  it('sends a key whose slices stay wrong, not at once, and no other', async () => {
    const a = shop()
    const relay = start(['a'], {}, OFTEN)
    await relay.synced
    await scene.untilSent(...EVERY_KEY)
    scene.queue.taken()
    a.put('pods', placed('web', '10.0.0.9'))
    await expect.poll(() => scene.queue.sent).toContain('live a/shop/web')
    const before = sweeps()
    await expect.poll(() => scene.queue.sent).toContain('sweep a/shop/web')
    expect(sweeps()).toBeGreaterThan(before + 1)
    expect(scene.queue.sent.filter((key) => key.endsWith('/api') && key.startsWith('sweep'))).toEqual([])
  })

  it('sends no key that waits already in the live lane', async () => {
    const a = shop()
    const relay = start(['a'], {}, OFTEN)
    await relay.synced
    await scene.untilSent(...EVERY_KEY)
    scene.queue.setUp(false)
    const nextSweep = async (): Promise<void> => {
      const before = sweeps()
      await expect.poll(sweeps).toBeGreaterThan(before + 1)
    }
    await scene.watching('a')
    a.put('pods', placed('web', '10.0.0.9'))
    await expect.poll(async () => (await metric('keys_pending')).join()).toContain('lane="live"} 1')
    // It is not recent any more.
    scene.passTime(3)
    await nextSweep()
    expect(await swept()).toEqual(['sliceflow_relay_keys_swept_total{cluster="a",reason="sweep"} 0'])
  })

  it('sends a key once that has an unknown state, for as long as the queue does not take it', async () => {
    shop()
    scene.queue.setUp(false)
    const relay = start(['a'], { shadow: true }, OFTEN)
    await relay.synced
    await expect.poll(sweeps).toBeGreaterThan(2)
    expect(await swept()).toEqual(['sliceflow_relay_keys_swept_total{cluster="a",reason="sweep"} 0'])
  })

  it('is the last one when the relay ends', async () => {
    shop()
    const relay = start(['a'], {}, { sweepInterval: 0.02 })
    await relay.synced
    await expect.poll(sweeps).toBeGreaterThan(1)
    await relay.stop(AbortSignal.timeout(15_000))
    const before = sweeps()
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(sweeps()).toBe(before)
  })

  it('sends every key in shadow mode, and says how many to the log and to who asks', async () => {
    shop()
    const swept: [string, number][] = []
    const onSweep = (name: string, keys: number) => void swept.push([name, keys])
    const relay = start(['a'], { shadow: true }, OFTEN, { observer: { onSweep } })
    await relay.synced
    // Once at the start, and then by each sweep.
    for (const key of EVERY_KEY)
      await expect.poll(() => scene.queue.sent.filter((each) => each === key).length).toBeGreaterThan(2)
    expect(swept).toContainEqual(['a', 2])
    const line = scene.log.find(({ msg, keys }) => msg.startsWith('swept the cluster') && keys === 2)
    expect(line).toMatchObject({ cluster: 'a' })
  })
})
