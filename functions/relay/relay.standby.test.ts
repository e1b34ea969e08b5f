import { describe, expect, it, vi } from 'vitest'
import { seal } from '../../shared/changes/index.ts'
import { type EndpointSlice, type Node, type Pod, plan } from '../../shared/endpointslice/index.ts'
import type { SettingsInput } from '../../shared/settings/index.ts'
import type { MemoryCluster } from '../../test/support/list-watch-server.ts'
import type { Relay } from './index.ts'
import { pod, service, useRelays } from './relay.fixtures.ts'

const NODE: Node = { metadata: { name: 'n1' } }

describe('a standby relay', () => {
  const scene = useRelays()
  const { cluster, metric, seen, start, watching } = scene
  /** Starts a standby with the shortest delay, half a second. */
  const standBy = (names: readonly string[], settings: SettingsInput = {}): Relay =>
    start(names, { relayStandby: true, standbyDelay: 0.5, stateDir: '', ...settings })

  const placed = (app: string, ip: string): Pod => ({
    ...pod(app, ip),
    spec: { containers: [], nodeName: 'n1' },
  })
  /** Writes the slices of the Service as a function would, over those that it has. */
  function write(
    to: MemoryCluster,
    name: string,
    ip: string,
    slices: readonly EndpointSlice[] = [],
  ): EndpointSlice[] {
    const made = plan({
      service: service(name),
      pods: [placed(name, ip)],
      nodes: [NODE],
      slices: [...slices],
    })
    const written = [...made.create, ...made.update].map(seal)
    for (const each of written) to.put('endpointslices', each)
    return written
  }
  /** Makes the Services `web` and `api` as functions leave them. */
  function shop(): { a: MemoryCluster; slices: Record<'web' | 'api', EndpointSlice[]> } {
    const a = cluster('a')
    a.put('nodes', NODE)
    const made = (name: string): EndpointSlice[] => {
      a.put('services', service(name))
      a.put('pods', placed(name, '10.0.0.1'))
      return write(a, name, '10.0.0.1')
    }
    return { a, slices: { web: made('web'), api: made('api') } }
  }

  it('sends nothing where slices are right or become so, and the key of a Service that stays wrong, without a hint', async () => {
    const { a, slices } = shop()
    const relay = standBy(['a'])
    await relay.synced
    await watching('a')
    a.put('pods', placed('web', '10.0.0.9'))
    a.put('pods', placed('api', '10.0.0.9'))
    write(a, 'api', '10.0.0.9', slices.api)
    await vi.waitFor(() => expect(scene.queue.sent).toEqual(['live a/shop/web']), 15_000)
    expect(scene.queue.messages[0]).not.toHaveProperty('hint')
    expect(await metric('standby_keys_total')).toEqual([
      'sliceflow_relay_standby_keys_total{cluster="a",state="wrong"} 1',
    ])
    expect(await metric('keys_swept_total')).toEqual([])
  })

  it('sends a key again that stays wrong, until its slices are written', async () => {
    const { a, slices } = shop()
    const relay = standBy(['a'])
    await relay.synced
    await watching('a')
    a.put('pods', placed('web', '10.0.0.9'))
    await vi.waitFor(() => expect(scene.queue.sent.length).toBeGreaterThanOrEqual(2), 15_000)
    expect(new Set(scene.queue.taken())).toEqual(new Set(['live a/shop/web']))
    write(a, 'web', '10.0.0.9', slices.web)
    await seen('slices', 1)
    const before = scene.queue.sent.length
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    expect(scene.queue.sent.length).toBe(before)
  })

  it('sends what was wrong when it started', async () => {
    const { a } = shop()
    a.put('pods', placed('web', '10.0.0.9'))
    const relay = standBy(['a'])
    await relay.synced
    await watching('a')
    await vi.waitFor(() => expect(scene.queue.sent).toContain('live a/shop/web'), 15_000)
    expect(scene.queue.sent).not.toContain('live a/shop/api')
  })

  it('loses nothing that changed while it could not watch', async () => {
    const { a } = shop()
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
    await vi.waitFor(
      async () => expect((await metric('events_total{cluster="b",kind="pods"')).join()).toContain(' 2'),
      15_000,
    )
    write(a, 'api', '10.0.0.9')
    await vi.waitFor(() => expect(scene.queue.sent).toEqual(['live a/shop/web']), 15_000)
    expect(await metric('standby_keys_total')).toEqual([
      'sliceflow_relay_standby_keys_total{cluster="a",state="unknown"} 3',
    ])
  })
})
