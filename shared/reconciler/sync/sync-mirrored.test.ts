import { beforeEach, describe, expect, it } from 'vitest'
import { ANNOTATION_SEAL, isSealed } from '../../changes/index.ts'
import {
  type EndpointSlice,
  type Endpoints,
  LABEL_MANAGED_BY,
  LABEL_SERVICE_NAME,
  MIRRORING_CONTROLLER,
  type Service,
} from '../../endpointslice/index.ts'
import { ENDPOINT_SLICES, ENDPOINTS, EVENTS, SERVICES } from '../../kubernetes/index.ts'
import { createMemoryRecorder } from '../../recording/writing/memory-sink.fixtures.ts'
import { parseSettings } from '../../settings/index.ts'
import { type MemoryCluster, startProcess, webService } from '../memory-cluster.fixtures.ts'
import {
  addresses,
  annotated,
  attemptAt,
  NOON,
  notesOn,
  reasons,
  slices,
  withNode,
  writes,
} from './sync-service.fixtures.ts'

const ON = parseSettings({ mirrorEndpoints: true, allowedAddresses: '*/*=10.0.0.0/8' })
const OFF = parseSettings({})
const SERVICE = webService({ selector: undefined })
const HTTP = [{ name: 'http', port: 80, protocol: 'TCP' }]

const endpoints = (ips: readonly string[], metadata: Endpoints['metadata'] = {}): Endpoints => ({
  metadata: { name: 'web', namespace: 'shop', ...metadata },
  subsets: [{ addresses: ips.map((ip) => ({ ip })), ports: HTTP }],
})

describe('a Service whose slices mirror Endpoints', () => {
  let cluster: MemoryCluster
  beforeEach(() => {
    cluster = withNode()
    cluster.put(SERVICES, SERVICE)
  })

  const handle = (settings = ON) => startProcess(cluster, { settings, now: NOON }).handle()
  async function atRest(ips = ['10.0.0.1', '10.0.0.2']): Promise<void> {
    cluster.put(ENDPOINTS, endpoints(ips))
    await handle()
    cluster.calls.length = 0
  }
  const putService = (change: Partial<Service>): Service => cluster.put(SERVICES, { ...SERVICE, ...change })

  it('gets a sealed slice of our own managed-by value that the Endpoints own', async () => {
    cluster.put(ENDPOINTS, endpoints(['10.0.0.1'], { labels: { app: 'db' }, annotations: { note: 'x' } }))
    await handle()
    const [slice] = slices(cluster)
    expect(slice?.metadata).toMatchObject({
      labels: { app: 'db', [LABEL_SERVICE_NAME]: 'web', [LABEL_MANAGED_BY]: 'sliceflow.dev' },
      annotations: { note: 'x', [ANNOTATION_SEAL]: expect.any(String) },
      ownerReferences: [{ kind: 'Endpoints', name: 'web', controller: true, blockOwnerDeletion: true }],
    })
    expect(slice && isSealed(slice)).toBe(true)
    expect(addresses(cluster)).toEqual(['10.0.0.1'])
  })

  it('costs three reads and no write where nothing has changed', async () => {
    await atRest()
    await handle()
    expect(cluster.calls).toEqual(['list endpointslices', 'get services web', 'get endpoints web'])
  })

  it('reads no Endpoints without the setting, nor where it asks for something else', async () => {
    await handle(OFF)
    putService(annotated({ 'sliceflow.dev/addresses': '10.0.0.9' }))
    await handle()
    putService(webService({ selector: { app: 'web' } }))
    await handle()
    expect(cluster.calls.filter((call) => call.includes(' endpoints '))).toEqual([])
  })

  it('follows the Endpoints, and verifies afterwards that they are still the same', async () => {
    await atRest()
    cluster.put(ENDPOINTS, endpoints(['10.0.0.3']))
    let isChanged = false
    cluster.before = (call) => {
      if (isChanged || !call.startsWith('update endpointslices')) return
      isChanged = true
      cluster.put(ENDPOINTS, endpoints(['10.0.0.4']))
    }
    await handle()
    expect(addresses(cluster)).toEqual(['10.0.0.4'])
  })

  it('does so also for a message that was sent while the relay verified its Pods', async () => {
    await atRest()
    cluster.put(ENDPOINTS, endpoints(['10.0.0.3']))
    cluster.before = (call) => {
      if (!call.startsWith('update endpointslices') || addresses(cluster).includes('10.0.0.3')) return
      cluster.before = () => {}
      cluster.put(ENDPOINTS, endpoints(['10.0.0.4']))
    }
    await startProcess(cluster, { settings: ON, now: NOON }).handle({ relayVerifies: true })
    expect(addresses(cluster)).toEqual(['10.0.0.4'])
  })

  it('has its writes recorded, with why an endpoint went, whatever its Service has of address types', async () => {
    const { sink, recorder } = createMemoryRecorder()
    const process = startProcess(cluster, { settings: ON, now: NOON, recorder })
    cluster.put(ENDPOINTS, endpoints(['10.0.0.1', 'fd00::1']))
    await process.handle()
    cluster.put(ENDPOINTS, endpoints([]))
    await process.handle()
    const went = sink.records().flatMap((record) => (record.kind === 'write' ? record.went : []))
    expect(went.map(({ cause }) => cause)).toEqual(['NotNamed', 'NotNamed'])
  })

  it.each<[string, () => unknown]>([
    ['the Endpoints are gone', () => cluster.remove(ENDPOINTS, 'web')],
    ['the Service gets a selector', () => putService(webService({ selector: { app: 'web' } }))],
    ['the Service is gone', () => cluster.remove(SERVICES, 'web')],
  ])('loses its slice when %s', async (_what, change) => {
    await atRest()
    change()
    await handle()
    expect(slices(cluster)).toEqual([])
  })

  it('has one source of endpoints at a time, and none is missing in between', async () => {
    await atRest(['10.0.0.1'])
    const inputs: string[][] = []
    cluster.before = (call) => {
      if (!/^(get|list) /.test(call)) inputs.push(addresses(cluster))
    }
    putService(annotated({ 'sliceflow.dev/addresses': '10.0.0.1' }))
    await handle()
    expect(slices(cluster).map(({ metadata }) => metadata?.ownerReferences?.[0]?.kind)).toEqual(['Service'])
    putService(SERVICE)
    await handle()
    expect(slices(cluster).map(({ metadata }) => metadata?.ownerReferences?.[0]?.kind)).toEqual(['Endpoints'])
    expect(inputs.filter((published) => published.length === 0)).toEqual([])
  })

  it('keeps slices of another source where leftovers stay', async () => {
    putService(annotated({ 'sliceflow.dev/addresses': '10.0.0.9' }))
    await handle()
    putService(SERVICE)
    cluster.put(ENDPOINTS, endpoints(['10.0.0.1']))
    await handle({ ...ON, leftovers: 'keep' })
    expect(addresses(cluster).sort()).toEqual(['10.0.0.1', '10.0.0.9'])
  })

  it('never gets annotations of ours from the Endpoints', async () => {
    const annotations = { [ANNOTATION_SEAL]: 'forged', 'sliceflow.dev/held-since': '2026-01-01T00:00:00Z' }
    cluster.put(ENDPOINTS, endpoints(['10.0.0.1'], { annotations }))
    await handle()
    expect(slices(cluster).every(isSealed)).toBe(true)
    expect(notesOn(cluster)).toEqual([ANNOTATION_SEAL])
  })

  it('does not publish refused addresses, nor what is no address, and says so on the Service', async () => {
    cluster.put(ENDPOINTS, endpoints(['10.0.0.1', '169.254.169.254', 'example.org', '127.0.0.1']))
    await handle()
    expect(addresses(cluster)).toEqual(['10.0.0.1'])
    expect(reasons(cluster).sort()).toEqual(['InvalidIPAddress', 'RefusedAddress'])
  })

  it('keeps its slices where the Endpoints cannot be read', async () => {
    await atRest()
    cluster.put(ENDPOINTS, { ...endpoints([]), subsets: [{ addresses: 'odd' as never }] })
    await handle()
    expect(addresses(cluster)).toEqual(['10.0.0.1', '10.0.0.2'])
    expect(writes(cluster)).toEqual([])
  })

  it('is in no fight when its Endpoints come and go, and take their slices with them', async () => {
    const { handle: again, failures } = startProcess(cluster, { settings: ON, now: NOON })
    for (let round = 0; round < 8; round++) {
      cluster.put(ENDPOINTS, endpoints(['10.0.0.1']))
      await again()
      expect(addresses(cluster)).toEqual(['10.0.0.1'])
      cluster.remove(ENDPOINTS, 'web')
      for (const { metadata } of slices(cluster)) cluster.remove(ENDPOINT_SLICES, metadata?.name ?? '')
      await again()
    }
    expect(failures).toEqual([])
  })

  it.each(['audit', 'compare'] as const)('is not written by a sync that only tells: %s', async (purpose) => {
    await atRest()
    expect(await attemptAt(cluster, { settings: ON }).fullSync(purpose)).not.toHaveProperty('outdated')
    cluster.put(ENDPOINTS, endpoints(['10.0.0.9']))
    expect((await attemptAt(cluster, { settings: ON }).fullSync(purpose)).outdated?.size).toBe(1)
    expect(writes(cluster)).toEqual([])
  })
})

describe('slices that mirror Endpoints, once the setting is off,', () => {
  let cluster: MemoryCluster
  beforeEach(async () => {
    cluster = withNode()
    cluster.put(SERVICES, SERVICE)
    cluster.put(ENDPOINTS, endpoints(['10.0.0.1']))
    await startProcess(cluster, { settings: ON, now: NOON }).handle()
    cluster.calls.length = 0
  })
  const handle = () => startProcess(cluster, { settings: OFF, now: NOON }).handle()
  const theirs = (ip: string): EndpointSlice => ({
    metadata: {
      name: 'theirs',
      namespace: 'shop',
      labels: { [LABEL_SERVICE_NAME]: 'web', [LABEL_MANAGED_BY]: MIRRORING_CONTROLLER },
    },
    addressType: 'IPv4',
    endpoints: [{ addresses: [ip] }],
  })

  it('stay, as that may be a mistake, and an Event says what to do', async () => {
    await handle()
    expect(addresses(cluster)).toEqual(['10.0.0.1'])
    const [event] = cluster.all(EVENTS)
    expect(event).toMatchObject({ reason: 'PlanHeld', message: expect.stringContaining('mirrorEndpoints') })
    expect(cluster.calls.filter((call) => call.includes(' endpoints '))).toEqual([])
  })

  it('go when others publish their endpoints', async () => {
    cluster.put(ENDPOINT_SLICES, theirs('10.0.0.9'))
    await handle()
    expect(slices(cluster)).toHaveLength(2)
    cluster.put(ENDPOINT_SLICES, theirs('10.0.0.1'))
    await handle()
    expect(slices(cluster).map(({ metadata }) => metadata?.name)).toEqual(['theirs'])
  })

  it('go when they are released', async () => {
    await handle()
    const since = slices(cluster)[0]?.metadata?.annotations?.['sliceflow.dev/held-since'] ?? ''
    cluster.put(SERVICES, webService({ selector: undefined }, { 'sliceflow.dev/release': since }))
    await handle()
    expect(slices(cluster)).toEqual([])
  })
})

describe('slices of the in-tree mirroring controller', () => {
  const THEIRS: EndpointSlice = {
    metadata: {
      name: 'web-theirs',
      namespace: 'shop',
      labels: { [LABEL_SERVICE_NAME]: 'web', [LABEL_MANAGED_BY]: MIRRORING_CONTROLLER },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Endpoints', name: 'web', uid: 'uid-1' }],
    },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true } }],
    ports: HTTP,
  }
  const managers = (cluster: MemoryCluster): (string | undefined)[] =>
    slices(cluster).map(({ metadata }) => metadata?.labels?.[LABEL_MANAGED_BY])

  function setUp(): MemoryCluster {
    const cluster = withNode()
    cluster.put(SERVICES, SERVICE)
    cluster.put(ENDPOINTS, endpoints(['10.0.0.1']))
    cluster.put(ENDPOINT_SLICES, THEIRS)
    return cluster
  }

  it('are taken over in place where those of the endpointslice-controller are, and nothing is held for it', async () => {
    const cluster = setUp()
    const managedBy = 'endpointslice-controller.k8s.io'
    const limits = { maximumRemoval: 0.1, maximumRemovalCount: 0 }
    const settings = parseSettings({ mode: 'replace', managedBy, mirrorEndpoints: true, ...limits })
    await startProcess(cluster, { settings, now: NOON }).handle()
    expect(managers(cluster)).toEqual([managedBy])
    expect(slices(cluster)[0]?.metadata?.name).toBe('web-theirs')
    cluster.put(ENDPOINTS, endpoints(['10.0.0.2']))
    await startProcess(cluster, { settings, now: NOON }).handle()
    expect(addresses(cluster)).toEqual(['10.0.0.2'])
  })

  it('have endpoints to lose as ours have', async () => {
    const cluster = setUp()
    cluster.put(ENDPOINTS, endpoints([]))
    const managedBy = 'endpointslice-controller.k8s.io'
    const limits = { maximumRemoval: 0.1, maximumRemovalCount: 0 }
    const settings = parseSettings({ mode: 'replace', managedBy, mirrorEndpoints: true, ...limits })
    await startProcess(cluster, { settings, now: NOON }).handle()
    expect(reasons(cluster)).toEqual(['PlanHeld'])
    expect(addresses(cluster)).toEqual(['10.0.0.1'])
  })

  it('are never touched otherwise', async () => {
    const cluster = setUp()
    await startProcess(cluster, { settings: ON, now: NOON }).handle()
    expect(managers(cluster).sort()).toEqual([MIRRORING_CONTROLLER, 'sliceflow.dev'])
    cluster.remove(ENDPOINTS, 'web')
    await startProcess(cluster, { settings: ON, now: NOON }).handle()
    expect(managers(cluster)).toEqual([MIRRORING_CONTROLLER])
  })
})
