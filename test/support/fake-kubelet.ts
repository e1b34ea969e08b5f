import type { Pod } from '../../shared/endpointslice/index.ts'
import { type ApiClient, PODS, runWatcher } from '../../shared/kubernetes/index.ts'
import type { RawClient } from './raw-client.ts'
import { makeNode, makePodStatus } from './world/index.ts'

interface FakeKubeletOptions {
  readonly client: ApiClient
  /** Client of the same server. */
  readonly raw: RawClient
  /** Addresses of the nth pod, counted from 1, the preferred one first. */
  readonly addresses: (nth: number) => readonly string[]
  readonly signal: AbortSignal
}

const NODE = 'fake-node'

/**
 * Does the work of a cluster's scheduler and kubelets until it is aborted: binds each pod that comes to the
 * one node that it makes, reports it as running and ready, and ends it when it is deleted.
 */
export async function runFakeKubelet({ client, raw, addresses, signal }: FakeKubeletOptions): Promise<void> {
  await raw.post('/api/v1/nodes', makeNode({ name: NODE }))
  let started = 0
  const start = async (path: string, name: string): Promise<void> => {
    started += 1
    const status = makePodStatus(addresses(started))
    await raw.post(`${path}/binding`, {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name },
      target: { apiVersion: 'v1', kind: 'Node', name: NODE },
    })
    await raw.patch(`${path}/status`, { status })
  }
  const see = ({ metadata, spec, status }: Pod & { metadata?: { deletionTimestamp?: unknown } }): void => {
    const path = `/api/v1/namespaces/${metadata?.namespace}/pods/${metadata?.name}`
    // What a server refuses, as of a pod that is gone by now, needs nothing more.
    if (metadata?.deletionTimestamp !== undefined) void raw.delete(path, { gracePeriodSeconds: 0 })
    else if (spec?.nodeName === undefined && status?.phase === 'Pending')
      void start(path, metadata?.name ?? '')
  }
  await runWatcher(client, {
    resource: PODS,
    signal,
    handler: { listing() {}, listed() {}, deleted() {}, object: see, changed: see },
  })
}
