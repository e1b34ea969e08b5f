import { type ClusterSetMember, fleetKey } from '../../../shared/cluster-sets/index.ts'
import type { Endpoint, EndpointSlice, Service } from '../../../shared/endpointslice/index.ts'
import {
  createFleetReconciler,
  type FleetDryRunOptions,
  type ServiceExport,
  serviceExports,
} from '../../../shared/fleet/index.ts'
import {
  type ApiClient,
  ConnectionError,
  ENDPOINT_SLICES,
  NAMESPACES,
  SERVICES,
} from '../../../shared/kubernetes/index.ts'
import {
  createMemoryCluster,
  type MemoryCluster,
} from '../../../shared/reconciler/memory-cluster.fixtures.ts'
import { parseSettings, type SettingsInput } from '../../../shared/settings/index.ts'
import { SILENT_LOG } from '../../../shared/telemetry/index.ts'
import { explainFleetService } from './explain-fleet.ts'
import type { FleetReport } from './report.ts'

export const EXPORTS = serviceExports('v1beta1')
export const NAMED = { name: 'web', namespace: 'shop' }

const DISCOVERY: Readonly<Record<string, unknown>> = {
  '/apis': { groups: [{ name: 'multicluster.x-k8s.io', versions: [{ version: 'v1beta1' }] }] },
  '/apis/multicluster.x-k8s.io/v1beta1': {
    resources: [{ name: 'serviceexports' }, { name: 'serviceimports' }],
  },
}

export interface Exported {
  readonly spec?: Partial<NonNullable<Service['spec']>>
  readonly slice?: Partial<EndpointSlice>
  readonly created?: string
  readonly annotations?: Readonly<Record<string, string>>
  readonly exportSpec?: ServiceExport['spec']
}

/** Puts a Service with its slice and its export into a cluster. */
export function exportFrom(
  cluster: MemoryCluster,
  endpoints: readonly Endpoint[],
  { spec = {}, slice = {}, created = '2026-01-01T00:00:00Z', annotations = {}, exportSpec }: Exported = {},
): void {
  const ports = [{ name: 'http', port: 80, protocol: 'TCP' }]
  cluster.put(SERVICES, { metadata: NAMED, spec: { ports, ...spec } })
  cluster.put(EXPORTS, {
    metadata: { ...NAMED, creationTimestamp: created, annotations: { ...annotations } },
    ...(exportSpec && { spec: exportSpec }),
  })
  cluster.put<EndpointSlice>(ENDPOINT_SLICES, {
    metadata: { name: 'web-1', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    endpoints: [...endpoints],
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    ...slice,
  })
}

export const endpointAt = (
  address: string,
  conditions: Endpoint['conditions'] = { ready: true },
): Endpoint => ({ addresses: [address], conditions })

export function openFleet(
  roles: Readonly<Record<string, ClusterSetMember['role']>> = { eu: 'both', us: 'both' },
  settings: SettingsInput = {},
  properties?: Readonly<Record<string, Readonly<Record<string, string>>>>,
) {
  const clusters = new Map(Object.keys(roles).map((name) => [name, createMemoryCluster()]))
  for (const cluster of clusters.values()) cluster.put(NAMESPACES, { metadata: { name: 'shop' } })
  const isServed = new Map([...clusters.keys()].map((name) => [name, true]))
  const clientOf = (name: string): ApiClient => {
    const read = async <T>(path: string): Promise<T> =>
      (isServed.get(name) === true || path !== '/apis' ? DISCOVERY[path] : { groups: [] }) as T
    return { ...(clusters.get(name) as MemoryCluster).client, cluster: name, read }
  }
  const set = {
    name: 'prod',
    namespaces: ['shop'],
    ...(properties && { clusterSelection: true }),
    members: Object.entries(roles).map(([cluster, role]) => ({
      ...{ cluster, id: cluster, role },
      ...(properties?.[cluster] && { properties: properties[cluster] }),
    })),
  }
  const options: FleetDryRunOptions = {
    ...{ set, clientOf, namespace: 'shop', name: 'web', logger: SILENT_LOG, now: () => 0 },
    settings: parseSettings(settings),
    signal: new AbortController().signal,
  }
  const write = createFleetReconciler({
    ...{ sets: () => [set], clientOf, settings: options.settings, logger: SILENT_LOG },
    clock: { now: () => 0, pause: async () => undefined },
  })
  return {
    options,
    cluster: (name: string): MemoryCluster => clusters.get(name) as MemoryCluster,
    /** Fails each call to it from now on, as a cluster that cannot be reached does. */
    lose(name: string): void {
      const cluster = clusters.get(name) as MemoryCluster
      cluster.before = () => {
        throw new ConnectionError(`cluster ${name} does not answer`, 'ECONNREFUSED')
      }
    },
    unserve: (name: string) => void isServed.set(name, false),
    async reconcile(): Promise<void> {
      const context = { signal: options.signal, receiveCount: 1, sentTimestamp: 0 }
      await write({ ...fleetKey('prod', 'shop', 'web'), messageIds: [] }, context)
    },
    async explain(): Promise<FleetReport> {
      const report = await explainFleetService(options)
      if (report === undefined) throw new Error('there is nothing to explain')
      return report
    },
  }
}
