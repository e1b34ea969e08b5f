import { afterEach, describe, expect, it, vi } from 'vitest'
import { PODS, SERVICES } from '../kubernetes/index.ts'
import { atRest, startProcess, webPod, webService } from './memory-cluster.fixtures.ts'
import { AT_NOON, callsWith, contend, failed, NOON, SETTINGS, slices } from './reconcile-service.fixtures.ts'
import { PersistentConflictError } from './reconcile-service.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

describe('a key whose slices somebody else goes on changing', () => {
  it('is read and planned ten times, with longer pauses, and then goes back to the queue', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    const cluster = await failed(1)
    contend(cluster)
    const { handle, pauses, failures, outcomes } = startProcess(cluster, AT_NOON)

    await expect(handle()).rejects.toThrow(PersistentConflictError)

    expect(callsWith(cluster, 'update')).toHaveLength(10)
    expect(pauses).toEqual([25, 50, 75, 100, 125, 150, 175, 200, 225, 250])
    expect(failures).toEqual([expect.any(PersistentConflictError)])
    expect(outcomes).toEqual([])
  })
})

it('a plan that was held is counted once it is written, and its note goes with the same message', async () => {
  const settings = { ...SETTINGS, maximumRemoval: 0.5, maximumRemovalCount: 1, heldPlanExpiry: 600 }
  const cluster = await atRest(6, settings)
  for (let number = 1; number <= 5; number++) cluster.remove(PODS, `web-${number}`)
  const { handle, clock, outcomes } = startProcess(cluster, { settings, now: NOON })
  await handle()
  expect(outcomes[0]).toMatchObject({
    guarded: { acted: { held: 1 } },
    planned: { stats: { endpointsRemoved: 0 } },
  })
  clock.now += 600_000
  await handle()
  expect(outcomes[1]?.planned?.stats.endpointsRemoved).toBe(5)
  expect(JSON.stringify(slices(cluster))).not.toContain('held-since')
})

describe('what a sync was made of', () => {
  it('is verified of a Service that is gone, though the relay verifies what is made of pods', async () => {
    const cluster = await atRest(1, SETTINGS)
    cluster.remove(SERVICES, 'web')
    const { handle } = startProcess(cluster, AT_NOON)
    await handle({ relayVerifies: true })
    expect(cluster.calls.slice(-2)).toEqual([
      expect.stringMatching(/^delete endpointslices/),
      'get services web',
    ])
  })

  it('is verified by few reads, however many pods have changed', async () => {
    const cluster = await failed(8)
    const { handle } = startProcess(cluster, AT_NOON)
    cluster.calls.length = 0
    await handle()
    const verified = cluster.calls.slice(cluster.calls.findLastIndex((call) => call.startsWith('update')) + 1)
    expect(verified).toEqual(['get services web', 'list pods'])
  })

  it('is synced again where it changed before it was verified, and what was written adds up', async () => {
    const cluster = await failed(1)
    let changes = 0
    cluster.before = (call) => {
      if (call.startsWith('update') && changes++ === 0) cluster.put(PODS, webPod(1))
    }
    const { handle, outcomes, pauses } = startProcess(cluster, AT_NOON)
    await handle()
    const stats = { endpointsDesired: 1, endpointsAdded: 0, endpointsRemoved: 0 }
    expect(outcomes).toMatchObject([{ updated: 2, attempts: 2, planned: { stats } }])
    expect(pauses).toEqual([])
  })

  it('is not read back where the relay verifies, nor are slices beside one that was created', async () => {
    const cluster = await failed(2)
    const { handle } = startProcess(cluster, AT_NOON)
    await handle({ relayVerifies: true })
    expect(cluster.calls.at(-1)).toMatch(/^update/)

    for (const number of [3, 4]) cluster.put(PODS, webPod(number))
    cluster.calls.length = 0
    await handle({ relayVerifies: true })
    expect(cluster.calls.at(-1)).toMatch(/^create endpointslices/)
  })

  it.each([
    ['asks for topology hints', 'service.kubernetes.io/topology-mode', 'Auto'],
    ['names a network', 'sliceflow.dev/network', 'ext'],
    ['names its own cluster', 'sliceflow.dev/cluster', 'blue'],
  ])('is read back where the relay verified, and the Service since %s', async (_, annotation, value) => {
    const custom = {
      ...SETTINGS,
      mode: 'custom',
      allowedPods: '*/*=*/*',
      allowedNetworks: '*/*=10.0.0.0/8',
    } as const
    const cluster = await atRest(0, SETTINGS)
    const annotations = { 'sliceflow.dev/selector': 'app=web', [annotation]: value }
    cluster.put(SERVICES, webService({ selector: undefined }, annotations))
    const networks = JSON.stringify([{ name: 'ext', ips: ['10.1.0.1'] }])
    const pod = webPod(1)
    cluster.put(PODS, {
      ...pod,
      metadata: { ...pod.metadata, annotations: { 'k8s.v1.cni.cncf.io/network-status': networks } },
    })
    const { handle } = startProcess(cluster, { settings: custom })
    await handle({ relayVerifies: true })
    const written = cluster.calls.findLastIndex((call) => /^(?:create|update) endpointslices/.test(call))
    expect(written).toBeGreaterThan(0)
    expect(cluster.calls.slice(written)).toContain('get services web')
  })
})
