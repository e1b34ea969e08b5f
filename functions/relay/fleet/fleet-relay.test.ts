import { describe, expect, it } from 'vitest'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../../shared/fleet/crds.fixtures.ts'
import { ANNOTATION_FLEET_POLICY, LABEL_CLUSTER_SET, serviceExports } from '../../../shared/fleet/index.ts'
import { ENDPOINT_SLICES, NAMESPACES, SERVICES } from '../../../shared/kubernetes/index.ts'
import { never } from '../relay.fixtures.ts'
import {
  createService,
  createSlice,
  exportService,
  startCluster,
  startClusters,
  startReadyCluster,
  useFleetRelays,
} from './fleet-relay.fixtures.ts'

const WEB = 'clusterset:default/shop/web'
const API = 'clusterset:default/shop/api'

describe('the relay of a cluster set', () => {
  const scene = useFleetRelays()
  const { start, untilSent } = scene

  it('sends the key of a Service that is exported, and again when its slices change, with all versions', async () => {
    const [eu, us] = await startClusters()
    const service = await createService(eu, 'web')
    const relay = start([eu, us])
    await relay.synced
    const exported = await exportService(eu, 'web')
    await untilSent(`live ${WEB}`)
    const slice = await createSlice(eu, 'web', '10.0.0.1')
    await untilSent(`live ${WEB}`)
    expect(scene.queue.messages.at(-1)).toMatchObject({
      cluster: 'clusterset:default',
      namespace: 'shop',
      service: 'web',
      fleetVersions: {
        eu: {
          export: exported.metadata?.resourceVersion,
          service: service.metadata?.resourceVersion,
          slices: { 'web-1': slice.metadata?.resourceVersion },
        },
        us: {},
      },
    })
    await createSlice(us, 'web', '10.1.0.1')
    await createSlice(eu, 'api', '10.0.0.2')
    await eu.admin.delete(ENDPOINT_SLICES, { namespace: 'shop', name: 'web-1' })
    await untilSent(`live ${WEB}`)
    expect(scene.queue.messages.at(-1)?.fleetVersions?.eu).not.toHaveProperty('slices')
  })

  it('sends each key once at its start, into the sweep lane, and at the next one again', async () => {
    const [eu, us] = await startClusters()
    await Promise.all([exportService(eu, 'web'), exportService(us, 'web'), exportService(us, 'api')])
    for (let run = 0; run < 2; run++) {
      const relay = start([eu, us])
      await relay.synced
      await relay.stop(never)
      expect(scene.queue.taken()).toEqual([`sweep ${API}`, `sweep ${WEB}`])
      for (const message of scene.queue.messages) expect(message).not.toHaveProperty('fleetVersions')
    }
    expect(await scene.metric('keys_swept_total')).toEqual([
      'sliceflow_relay_keys_swept_total{cluster="clusterset:default",reason="start"} 2',
    ])
  })

  it('sends the keys of a namespace that comes to a cluster', async () => {
    const [eu, us] = await startClusters()
    await eu.create(NAMESPACES, { metadata: { name: 'pay' } })
    await exportService(eu, 'web')
    await exportService(eu, 'api', { namespace: 'pay' })
    const relay = start([eu, us])
    await relay.synced
    await untilSent('sweep clusterset:default/pay/api', `sweep ${WEB}`)
    await us.create(NAMESPACES, { metadata: { name: 'pay' } })
    await untilSent('live clusterset:default/pay/api')
  })

  it('names the namespaces that have imports and are not of the set any more, and how to remove these', async () => {
    const [eu, us] = await startClusters()
    await us.create(NAMESPACES, { metadata: { name: 'pay' } })
    for (const namespace of ['shop', 'pay'])
      await us.create(SERVICES, {
        metadata: { namespace, name: 'derived-web', labels: { [LABEL_CLUSTER_SET]: 'default' } },
        spec: { ports: [{ port: 80 }] },
      })
    const members = ['eu', 'us'].map((id) => ({ cluster: id, id, role: 'both' as const }))
    start([eu, us], {}, { set: { name: 'default', members, namespaces: ['shop'] } })
    const warnings = () => scene.log.filter(({ msg }) => msg.includes('pay=leave'))
    await expect.poll(warnings).toMatchObject([{ cluster: 'us', namespaces: 1, such: 'pay' }])
  })

  it('sends the keys of a change in the share of the cluster that changed', async () => {
    const [eu, us] = await startClusters()
    await exportService(eu, 'web')
    await exportService(us, 'api')
    const relay = start([eu, us])
    await relay.synced
    await untilSent(`sweep ${API}`, `sweep ${WEB}`)
    await createService(eu, 'web')
    await createService(us, 'api')
    await untilSent(`live ${API}`, `live ${WEB}`)
    expect(scene.queue.shares().sort()).toEqual([`${API} of us`, `${WEB} of eu`])
  })

  it('sends no key for annotations, of whatever is exported, that no import reads', async () => {
    const eu = await startReadyCluster('eu')
    for (const name of ['web', 'api']) {
      await exportService(eu, name)
      await createService(eu, name)
      await createSlice(eu, name, '10.0.0.1')
    }
    const relay = start([eu])
    await relay.synced
    await untilSent(`sweep ${API}`, `sweep ${WEB}`)
    const note = { metadata: { annotations: { note: 'x'.repeat(1_000) } } }
    const web = { namespace: 'shop', name: 'web' }
    await eu.admin.patch(SERVICES, web, note)
    await eu.admin.patch(serviceExports('v1beta1'), web, note)
    await eu.admin.patch(ENDPOINT_SLICES, { namespace: 'shop', name: 'web-1' }, note)
    // Each kind shows what does count after that.
    const api = { namespace: 'shop', name: 'api' }
    await eu.admin.patch(SERVICES, api, { spec: { ports: [{ port: 81 }] } })
    await untilSent(`live ${API}`)
    await eu.admin.patch(serviceExports('v1beta1'), api, {
      metadata: { annotations: { [ANNOTATION_FLEET_POLICY]: '{}' } },
    })
    await untilSent(`live ${API}`)
    await eu.admin.patch(ENDPOINT_SLICES, { namespace: 'shop', name: 'api-1' }, { endpoints: [] })
    await untilSent(`live ${API}`)
  })

  it('sends at its end what waits, and reports how many keys the queue did not take', async () => {
    const eu = await startReadyCluster('eu')
    await exportService(eu, 'web')
    const relay = start([eu], { coalescingWindow: 300 })
    await relay.synced
    await untilSent(`sweep ${WEB}`)
    await createService(eu, 'web')
    await untilSent(`live ${WEB}`)
    await createSlice(eu, 'web', '10.0.0.1')
    await expect
      .poll(() => scene.metric('keys_pending'))
      .toContain('sliceflow_relay_keys_pending{cluster="clusterset:default",lane="live"} 1')
    expect(scene.queue.sent).toEqual([])
    expect(await relay.stop(never)).toBe(0)
    expect(scene.queue.taken()).toEqual([`live ${WEB}`])
    scene.queue.setUp(false)
    const late = start([eu])
    await late.synced
    expect(await late.stop(AbortSignal.timeout(50))).toBe(1)
  })

  it('asks no cluster for anything where one has no client', async () => {
    const [eu, us] = await Promise.all([startCluster('eu'), startCluster('us')])
    expect(() => start([eu, us], {}, { clients: [eu.client] })).toThrow(
      'cluster set default: there is no client of its cluster us',
    )
    expect(eu.proxy.connections).toBe(0)
  })

  it('sweeps all keys at each interval', async () => {
    const eu = await startReadyCluster('eu')
    await exportService(eu, 'web')
    start([eu], { sweepInterval: 0.05 })
    await untilSent(`sweep ${WEB}`)
    await untilSent(`sweep ${WEB}`)
    expect((await scene.metric('keys_swept_total')).join()).toContain('reason="sweep"')
  })
})

describe('the relay of a cluster set, without the API', () => {
  const scene = useFleetRelays()
  const { start, untilSent } = scene

  it('is synced, and takes up the kinds once they are defined, in whichever version', async () => {
    const clusters = await Promise.all([startCluster('eu'), startCluster('us')])
    const [eu, us] = clusters
    const relay = start(clusters)
    await relay.synced
    expect(relay.health()).toMatchObject({ ready: { ok: true, reason: 'ok' }, unreachable: [] })
    await eu.create(NAMESPACES, { metadata: { name: 'shop' } })
    await us.create(NAMESPACES, { metadata: { name: 'shop' } })
    await eu.define('ServiceExport', 'v1alpha1')
    await exportService(eu, 'web', { version: 'v1alpha1' })
    await untilSent(`live ${WEB}`)
    await us.define('ServiceExport')
    await exportService(us, 'api')
    await untilSent(`live ${API}`)
    const reported = scene.log.filter(({ level }) => level === 'warn' || level === 'error')
    const kinds = ['serviceexports', 'serviceimports']
    expect(reported.map(({ cluster, kind, msg }) => `${cluster} ${kind} ${msg}`).sort()).toEqual(
      ['eu', 'us'].flatMap((cluster) =>
        kinds.map((kind) =>
          expect.stringMatching(`^${cluster} ${kind} the cluster does not serve this kind`),
        ),
      ),
    )
  })

  it('sends the keys of exports that went with their definition, and takes it up when it comes again', async () => {
    const [eu, us] = await startClusters()
    await exportService(eu, 'web')
    const relay = start([eu, us])
    await relay.synced
    await untilSent(`sweep ${WEB}`)
    await eu.admin.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: 'serviceexports.multicluster.x-k8s.io' })
    await untilSent(`live ${WEB}`)
    expect(scene.queue.messages.at(-1)?.fleetVersions).toEqual({ eu: {}, us: {} })
    await eu.define('ServiceExport')
    await exportService(eu, 'web')
    await untilSent(`live ${WEB}`)
    expect(scene.queue.messages.at(-1)?.fleetVersions?.eu).toHaveProperty('export')
    expect((await scene.metric('watch_failing')).filter((line) => line.endsWith(' 1'))).toEqual([])
  })
})
