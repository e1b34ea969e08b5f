import { describe, expect, it } from 'vitest'
import { sealForDeletion } from '../../shared/changes/index.ts'
import type { EndpointSlice } from '../../shared/endpointslice/index.ts'
import { ENDPOINT_SLICES } from '../../shared/kubernetes/index.ts'
import type { KeyMessage } from '../../shared/queue/index.ts'
import { type Call, describeCall } from './calls.ts'
import { withPod } from './environment.ts'
import { createProcessModel } from './process.ts'
import { CLUSTER, NAMESPACE, SERVICE } from './scenario.ts'
import { reconciled, SETTINGS } from './scenarios/index.ts'
import { answer, NO_VIEW, objectsOf, putObject, type SimulatedCluster } from './simulated-api.ts'

interface Run {
  readonly calls: string[]
  readonly outcome: string | undefined
  readonly cluster: SimulatedCluster
}

interface Delivery {
  readonly resourceVersion?: string
  readonly receiveCount?: number
  /** Changes that others make before a call is answered. */
  readonly before?: (call: Call, cluster: SimulatedCluster) => SimulatedCluster
}

/** Delivers one message to one process that is alone with the cluster. */
async function deliver(
  start: SimulatedCluster,
  { resourceVersion, receiveCount = 1, before }: Delivery,
): Promise<Run> {
  const model = createProcessModel(SETTINGS)
  const message: KeyMessage = { cluster: CLUSTER, namespace: NAMESPACE, service: SERVICE, resourceVersion }
  const calls: string[] = []
  let cluster = start
  let view = NO_VIEW
  let state = await model.next(model.start, { kind: 'message', message, receiveCount, sentTimestamp: 0 }, 0)
  for (let [waiting] = state.calls; waiting !== undefined; [waiting] = state.calls) {
    const { id, call } = waiting
    calls.push(describeCall(call))
    const writer = { view, managedBy: SETTINGS.managedBy, service: SERVICE }
    const given = answer(before?.(call, cluster) ?? cluster, call, writer)
    cluster = given.cluster
    view = { ...view, ...given.view }
    const { value, error, key } = given
    state = await model.next(state, { kind: 'answer', call: id, value, error, key }, 0)
  }
  return { calls, outcome: state.messages[0], cluster }
}

const podReads = ({ calls }: Run): string[] => calls.filter((call) => /^(list|get) .*pods/.test(call))

/** Returns a reconciled Service of which one pod has failed since, and that pod's version. */
async function outdated(): Promise<[cluster: SimulatedCluster, version: string]> {
  const cluster = withPod(await reconciled(1, 'global'), 'web-1', { ready: false })
  return [cluster, String(cluster.revision)]
}

describe('a reconcile', () => {
  it('lists pods that are not older than its message, and verifies those that it wrote of by the newest', async () => {
    const [cluster, resourceVersion] = await outdated()
    expect(podReads(await deliver(cluster, { resourceVersion }))).toEqual([
      `list pods not older than ${resourceVersion}`,
      'get the metadata of pods web-1',
    ])
  })

  it.each([
    ['whose message has no version', {}],
    ['whose message has no version but any', { resourceVersion: '0' }],
    ['whose message has something else for a version', { resourceVersion: 'zz' }],
    ['whose slices were written since', { resourceVersion: '2' }],
  ])('lists the newest pods: one %s', async (_, delivery) => {
    const [cluster] = await outdated()
    expect(podReads(await deliver(cluster, delivery))[0]).toBe('list pods')
  })

  it('lists the newest pods where somebody had the message before', async () => {
    const [cluster, resourceVersion] = await outdated()
    expect(podReads(await deliver(cluster, { resourceVersion, receiveCount: 2 }))[0]).toBe('list pods')
  })

  it('lists the newest pods where the cluster does not know the version', async () => {
    const [cluster] = await outdated()
    const run = await deliver(cluster, { resourceVersion: '999999' })
    expect(podReads(run).slice(0, 2)).toEqual(['list pods not older than 999999', 'list pods'])
    expect(run.outcome).toBe('done')
  })

  it('never asks for old slices, and reads them before the Service and its pods', async () => {
    const [cluster, resourceVersion] = await outdated()
    const { calls } = await deliver(cluster, { resourceVersion })
    expect(calls.slice(0, 3)).toEqual([
      'list endpointslices',
      'get services web',
      `list pods not older than ${resourceVersion}`,
    ])
  })

  it('goes back to the queue when what it wrote of changes during each of ten attempts', async () => {
    let isReady = false
    const flip = (call: Call, cluster: SimulatedCluster): SimulatedCluster => {
      if (describeCall(call) !== 'get the metadata of pods web-1') return cluster
      isReady = !isReady
      return withPod(cluster, 'web-1', { ready: isReady })
    }
    const [cluster] = await outdated()
    const { calls, outcome } = await deliver(cluster, { before: flip })
    expect(calls.filter((call) => call === 'list endpointslices')).toHaveLength(10)
    expect(outcome).toBe('failed')
  })

  it('deletes a slice that somebody emptied for its deletion and did not come to delete', async () => {
    const cluster = await reconciled(3)
    const [slice] = objectsOf<EndpointSlice>(cluster, ENDPOINT_SLICES.plural).toReversed()
    const left = putObject(cluster, ENDPOINT_SLICES.plural, sealForDeletion(slice as EndpointSlice))
    const { calls, cluster: after } = await deliver(left, {})
    const name = slice?.metadata?.name
    expect(calls).toContain(`delete endpointslices ${name}`)
    expect(calls).not.toContain(`create endpointslices ${name}`)
    expect(objectsOf(after, ENDPOINT_SLICES.plural)).toHaveLength(2)
  })
})
