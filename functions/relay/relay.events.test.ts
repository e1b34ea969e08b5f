import { describe, expect, it, vi } from 'vitest'
import {
  ENDPOINT_SELECTOR_OWNER,
  type EndpointSlice,
  LABEL_MANAGED_BY,
  LABEL_SERVICE_NAME,
} from '../../shared/endpointslice/index.ts'
import { EVERY_KEY, pod, service, settle, slice, useRelays } from './relay.fixtures.ts'

const OFTEN = { sweepInterval: 0.05 }

describe('the events of a relay', () => {
  const scene = useRelays()
  const { cluster, metric, passTime, runOnce, shop, start, untilSent, seen, watching } = scene
  const line = (words: string) => scene.log.findLast(({ msg }) => msg.includes(words))

  it('is each event after its first lists and what it means, and what the queue has accepted', async () => {
    const a = shop()
    const events: string[][] = []
    const sent: number[] = []
    const synced: string[] = []
    const relay = start(
      ['a'],
      {},
      {},
      {
        observer: {
          onEvent: (changes) => void events.push(changes.map((change) => change.service)),
          onSent: (keys) => void sent.push(keys),
          onSynced: (cluster) => void synced.push(cluster),
        },
      },
    )
    await relay.synced
    await untilSent(...EVERY_KEY)
    await watching('a')
    expect([events, sent, synced]).toEqual([[], [2], ['a']])
    a.put('pods', pod('web', '10.0.0.9'))
    a.put('pods', pod('other', '10.0.0.7'))
    await seen('pods', 2)
    await untilSent('live a/shop/web', ...EVERY_KEY)
    await settle()
    expect([events, sent]).toEqual([
      [['web'], []],
      [2, 1],
    ])
  })

  it('is at the start which slices other settings have left behind, and what to type', async () => {
    const a = shop()
    const made = (name: string, value: string): EndpointSlice => {
      const { metadata, ...content } = slice('web', '10.0.0.1')
      const labels = { [LABEL_SERVICE_NAME]: 'web', [LABEL_MANAGED_BY]: value }
      return { ...content, metadata: { ...metadata, name, labels } }
    }
    for (const each of [made('old-1', 'old.dev'), made('web-1', 'sliceflow.dev')])
      a.put('endpointslices', each)
    await start(['a'], { mode: 'replace' }).synced
    await vi.waitFor(() => {
      expect(line('another managed-by value')).toMatchObject({ managedBy: 'old.dev', slices: 1 })
      expect(line('sliceflow offboard --managed-by old.dev')).toBeDefined()
      expect(line('this mode does not manage')).toMatchObject({ such: 'shop/web' })
    }, 15_000)
  })

  it('is at the start which slices are of objects that the settings publish no more, and what to do', async () => {
    const a = shop()
    const { metadata, ...content } = slice('web', '10.0.0.1')
    const labels = { [ENDPOINT_SELECTOR_OWNER.nameLabel]: 'pool', [LABEL_MANAGED_BY]: 'sliceflow.dev' }
    const made: EndpointSlice = { ...content, metadata: { ...metadata, name: 'pool-1', labels } }
    a.put('endpointslices', made)
    await start(['a']).synced
    await vi.waitFor(() => {
      expect(line('slices of ours are of EndpointSelectors')).toMatchObject({ cluster: 'a', slices: 1 })
      expect(line('without the setting endpointSelectors: set it again, or kubectl delete')).toBeDefined()
    }, 15_000)
  })

  it('is what it knows of the cluster at its start, and what the start costs', async () => {
    shop()
    const known = { cluster: 'a', services: 2, pods: 2, nodes: 0, slices: 2 }
    await runOnce()
    expect(line('no checkpoint, so all Services are queued')).toMatchObject({
      ...known,
      keys: 2,
      requests: 1,
      reason: 'there is none',
    })
    expect(await metric('keys_swept_total')).toEqual([
      'sliceflow_relay_keys_swept_total{cluster="a",reason="start"} 2',
    ])
    cluster('a').put('pods', pod('web', '10.0.0.9'))
    await runOnce()
    expect(line('Services that changed since the checkpoint')).toMatchObject({
      ...known,
      keys: 1,
      unchanged: 1,
    })
    expect(await metric('keys_swept_total')).toEqual([
      'sliceflow_relay_keys_swept_total{cluster="a",reason="changed"} 1',
    ])
    expect(await metric('keys_suppressed_total')).toEqual([
      'sliceflow_relay_keys_suppressed_total{cluster="a"} 1',
    ])
  })

  it('is how many keys went with the checkpoint’s Services, never fewer than none unchanged', async () => {
    const a = shop()
    await runOnce()
    for (const app of ['web', 'api']) {
      a.remove('services', service(app))
      a.remove('endpointslices', { metadata: { namespace: 'shop', name: `${app}-1` } })
    }
    expect(await runOnce()).toEqual(EVERY_KEY)
    expect(line('changed since the checkpoint')).toMatchObject({ keys: 2, unchanged: 0 })
    expect(await metric('keys_suppressed_total')).toEqual([
      'sliceflow_relay_keys_suppressed_total{cluster="a"} 0',
    ])
  })

  it('is how it follows a cluster as a standby, which sweeps nothing', async () => {
    shop()
    const relay = start(['a'], { relayStandby: true, stateDir: '' }, OFTEN)
    await relay.synced
    expect(line('watching the cluster as a standby')).toMatchObject({ cluster: 'a', services: 2, slices: 2 })
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(line('swept the cluster')).toBeUndefined()
  })

  it('is in its metrics: objects by kind, the age of what waits, whether it is synced', async () => {
    const a = shop()
    const relay = start(['a'])
    expect(await metric('cluster_synced')).toEqual(['sliceflow_relay_cluster_synced{cluster="a"} 0'])
    await relay.synced
    await untilSent(...EVERY_KEY)
    await watching('a')
    expect(await metric('cluster_synced')).toEqual(['sliceflow_relay_cluster_synced{cluster="a"} 1'])
    expect((await metric('objects{')).map((each) => each.replace('sliceflow_relay_objects', ''))).toEqual([
      '{cluster="a",kind="services"} 2',
      '{cluster="a",kind="pods"} 2',
      '{cluster="a",kind="nodes"} 0',
      '{cluster="a",kind="slices"} 2',
    ])
    scene.queue.setUp(false)
    a.put('pods', pod('web', '10.0.0.9'))
    await seen('pods', 1)
    passTime(100)
    const seconds = async (lane: string): Promise<number> =>
      Number((await metric(`oldest_pending_key_seconds{cluster="a",lane="${lane}"}`))[0]?.split(' ')[1])
    expect(await seconds('sweep')).toBe(0)
    expect(await seconds('live')).toBeGreaterThanOrEqual(100)
    expect(await seconds('live')).toBeLessThan(160)
    scene.queue.setUp(true)
  })
})
