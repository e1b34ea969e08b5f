import { describe, expect, it, vi } from 'vitest'
import type { SettingsInput } from '../../shared/settings/index.ts'
import type { Relay } from './index.ts'
import { placed, pod, service, useRelays, writeShop, writeSlices } from './relay.fixtures.ts'

describe('a standby relay', () => {
  const scene = useRelays()
  const { cluster, metric, start, watching } = scene
  /** Starts a standby with the shortest delay, half a second. */
  const standBy = (names: readonly string[], settings: SettingsInput = {}): Relay =>
    start(names, { relayStandby: true, standbyDelay: 0.5, stateDir: '', ...settings })

  it('sends nothing where slices are right or become so, and the key of a Service that stays wrong, without a hint', async () => {
    const a = cluster('a')
    const slices = writeShop(a)
    const relay = standBy(['a'])
    await relay.synced
    await watching('a')
    a.put('pods', placed('web', '10.0.0.9'))
    a.put('pods', placed('api', '10.0.0.9'))
    writeSlices(a, service('api'), '10.0.0.9', slices.api)
    await expect.poll(() => scene.queue.sent).toEqual(['live a/shop/web'])
    expect(scene.queue.messages[0]?.hint).toBeUndefined()
    await vi.waitFor(() => expect(scene.settled).toContain('api'), 15_000)
    expect(await metric('standby_keys_total')).toEqual([
      'sliceflow_relay_standby_keys_total{cluster="a",state="wrong"} 1',
    ])
    expect(await metric('keys_swept_total')).toEqual([])
  })

  it('sends what was wrong when it started', async () => {
    const a = cluster('a')
    writeShop(a)
    a.put('pods', placed('web', '10.0.0.9'))
    const relay = standBy(['a'])
    await relay.synced
    await watching('a')
    await expect.poll(() => scene.queue.sent).toContain('live a/shop/web')
    expect(scene.queue.sent).not.toContain('live a/shop/api')
  })

  it('loses nothing that changed while it could not watch', async () => {
    const a = cluster('a')
    writeShop(a)
    const relay = standBy(['a'])
    await relay.synced
    await watching('a')
    scene.server.setDown(true)
    a.put('pods', placed('web', '10.0.0.9'))
    scene.server.setDown(false)
    // Repeated: the relay may not have reopened its watch yet.
    await vi.waitFor(() => {
      scene.server.send('a', 'pods', '{"type":"ERROR","object":{"kind":"Status","code":410}}\n')
      expect(scene.queue.sent).toContain('live a/shop/web')
    }, 15_000)
    expect(scene.queue.sent).not.toContain('live a/shop/api')
  })

  it('sends a Service with pods of another cluster only where its slices were not written after a change', async () => {
    const [a, b] = [cluster('a'), cluster('b')]
    for (const name of ['web', 'api']) {
      a.put('services', service(name, { 'sliceflow.dev/cluster': 'b' }))
      b.put('pods', pod(name, '10.0.0.1'))
    }
    const relay = standBy(['a', 'b'])
    await relay.synced
    await Promise.all([watching('a'), watching('b')])
    // Once each at the start, as their state is unknown.
    await scene.untilSent('live a/shop/api', 'live a/shop/web')
    scene.queue.taken()
    b.put('pods', pod('web', '10.0.0.9'))
    b.put('pods', pod('api', '10.0.0.9'))
    await expect
      .poll(async () => (await metric('events_total{cluster="b",kind="pods"')).join())
      .toContain(' 2')
    writeSlices(a, service('api'), '10.0.0.9')
    await expect.poll(() => scene.queue.sent).toEqual(['live a/shop/web'])
    expect(await metric('standby_keys_total')).toEqual([
      'sliceflow_relay_standby_keys_total{cluster="a",state="unknown"} 3',
    ])
  })
})
