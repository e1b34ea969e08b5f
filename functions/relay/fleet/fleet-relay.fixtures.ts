import { Registry } from 'prom-client'
import { beforeEach, expect, onTestFinished, vi } from 'vitest'
import type { ClusterSet } from '../../../shared/cluster-sets/index.ts'
import { createControlPlane } from '../../../shared/control-plane/index.ts'
import type { EndpointSlice } from '../../../shared/endpointslice/index.ts'
import { CUSTOM_RESOURCE_DEFINITIONS, definitionIn } from '../../../shared/fleet/crds.fixtures.ts'
import { type McsVersion, serviceExports } from '../../../shared/fleet/index.ts'
import {
  type ApiClient,
  type ApiObject,
  ENDPOINT_SLICES,
  NAMESPACES,
  type Resource,
  SERVICES,
} from '../../../shared/kubernetes/index.ts'
import { parseSettings } from '../../../shared/settings/index.ts'
import { createLogger, createRelayMetrics } from '../../../shared/telemetry/index.ts'
import { serverOf, withServer } from '../../../test/support/kubeconfig.ts'
import { openKubeconfigs } from '../../../test/support/kubeconfig-folder.ts'
import { startTcpProxy, type TcpProxy } from '../../../test/support/tcp-proxy.ts'
import { createQueue, soon } from '../relay.fixtures.ts'
import { type FleetRelay, type FleetRelayOptions, startFleetRelay } from './index.ts'

/** A control plane and a door to it that can be shut. */
export interface FleetCluster {
  /** Client of the relay, which goes through the door. */
  readonly client: ApiClient
  readonly proxy: TcpProxy
  define(kind: 'ServiceExport' | 'ServiceImport', ...versions: readonly McsVersion[]): Promise<void>
  /** Tries again until what is to be written to is served. */
  create<T extends ApiObject>(resource: Resource<T>, object: T): Promise<T>
  readonly admin: ApiClient
}

/** Starts a cluster with both definitions and the namespace `shop`. */
export async function startReadyCluster(name: string): Promise<FleetCluster> {
  const cluster = await startCluster(name)
  await cluster.define('ServiceExport')
  await cluster.define('ServiceImport')
  await cluster.create(NAMESPACES, { metadata: { name: 'shop' } })
  return cluster
}

/** Starts two of them, eu and us. */
export const startClusters = (): Promise<[eu: FleetCluster, us: FleetCluster]> =>
  Promise.all([startReadyCluster('eu'), startReadyCluster('us')])

export async function startCluster(name: string): Promise<FleetCluster> {
  const controlPlane = await createControlPlane({ apis: { crds: true }, controllers: [] })
  await controlPlane.listen({ context: name })
  const { hostname, port } = serverOf(controlPlane.kubeconfig)
  const proxy = await startTcpProxy({ target: { hostname, port: Number(port) } })
  const kubeconfigs = await openKubeconfigs()
  const { client: admin } = await kubeconfigs.connect(controlPlane.kubeconfig)
  const { client } = await kubeconfigs.connect(
    withServer(controlPlane.kubeconfig, `https://127.0.0.1:${proxy.port}`),
  )
  onTestFinished(async () => {
    await kubeconfigs.close()
    await proxy.close()
    await controlPlane.close()
  })
  const create: FleetCluster['create'] = (resource, object) =>
    vi.waitFor(() => admin.create(resource, object), { timeout: 15_000, interval: 20 })
  return {
    client,
    proxy,
    admin,
    create,
    define: async (kind, ...versions) =>
      void (await create(
        CUSTOM_RESOURCE_DEFINITIONS,
        definitionIn(kind, ...(versions.length > 0 ? [versions] : [])),
      )),
  }
}

export const exportService = (
  { create }: FleetCluster,
  name: string,
  { version = 'v1beta1', namespace = 'shop' }: { version?: McsVersion; namespace?: string } = {},
) =>
  create(serviceExports(version), {
    apiVersion: `multicluster.x-k8s.io/${version}`,
    kind: 'ServiceExport',
    metadata: { namespace, name },
  })

export const createService = ({ create }: FleetCluster, name: string) =>
  create(SERVICES, { metadata: { namespace: 'shop', name }, spec: { ports: [{ port: 80 }] } })

export const sliceOf = (name: string, ip: string): EndpointSlice => ({
  metadata: { namespace: 'shop', name: `${name}-1`, labels: { 'kubernetes.io/service-name': name } },
  addressType: 'IPv4',
  endpoints: [{ addresses: [ip] }],
})
export const createSlice = ({ create }: FleetCluster, name: string, ip: string) =>
  create(ENDPOINT_SLICES, sliceOf(name, ip))

/** Gives relays of a set, and a queue of each test's own. */
export function useFleetRelays() {
  let queue: ReturnType<typeof createQueue>
  let registry: Registry
  let log: { msg: string; [field: string]: unknown }[]

  beforeEach(() => {
    queue = createQueue()
    registry = new Registry()
    log = []
  })

  /** @param shorter times that the settings do not allow, in seconds */
  function start(
    clusters: readonly FleetCluster[],
    shorter: { readonly sweepInterval?: number; readonly coalescingWindow?: number } = {},
    more: Partial<FleetRelayOptions> = {},
  ): FleetRelay {
    registry.clear()
    const set: ClusterSet = {
      name: 'default',
      members: clusters.map(({ client: { cluster } }) => ({ cluster, id: cluster, role: 'both' })),
      namespaces: ['*'],
    }
    const metrics = createRelayMetrics(registry)
    const relay = startFleetRelay({
      set,
      clients: clusters.map(({ client }) => client),
      settings: { ...parseSettings({ coalescingWindow: 0 }), ...shorter },
      senders: queue.senders,
      telemetry: { logger: createLogger({ write: (line) => log.push(JSON.parse(line)) }), metrics },
      times: { discoveryMs: 20 },
      ...more,
    })
    metrics.readFrom(relay.readings)
    onTestFinished(async () => {
      await relay.stop(soon())
    })
    return relay
  }

  return {
    start,
    /** Waits until these keys, and no others, were sent since it was last asked, however often. */
    async untilSent(...keys: string[]): Promise<void> {
      await expect.poll(() => [...new Set(queue.sent)].sort()).toEqual(keys)
      queue.taken()
    },
    metric: async (name: string): Promise<string[]> =>
      (await registry.metrics()).split('\n').filter((line) => line.startsWith(`sliceflow_relay_${name}`)),
    get queue() {
      return queue
    },
    get log() {
      return log
    },
  }
}
