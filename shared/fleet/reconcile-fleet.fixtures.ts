import { onTestFinished } from 'vitest'
import type { FleetVersions } from '../changes/index.ts'
import { type ClusterSetMember, fleetKey } from '../cluster-sets/index.ts'
import type { EndpointSlice } from '../endpointslice/index.ts'
import {
  type ApiClient,
  type ApiObject,
  ENDPOINT_SLICES,
  type Resource,
  SERVICES,
} from '../kubernetes/index.ts'
import { createMemoryCluster, type MemoryCluster } from '../reconciler/memory-cluster.fixtures.ts'
import { parseSettings, type SettingsInput } from '../settings/index.ts'
import type { Log } from '../telemetry/index.ts'
import { SILENT_LOG } from '../telemetry/index.ts'
import {
  type Condition,
  createFleetReconciler,
  derivedServiceName,
  LABEL_SOURCE_CLUSTER,
  type ServiceExport,
  serviceExports,
  serviceImports,
} from './index.ts'

export const EXPORTS = serviceExports('v1beta1')
export const IMPORTS = serviceImports('v1beta1')
export const DERIVED = derivedServiceName('shop', 'web')

export const sourceSlice = (...addresses: readonly string[]): EndpointSlice => ({
  metadata: { name: 'web-1', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'web' } },
  addressType: 'IPv4',
  endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
})

/** Creates a cluster that serves the API and exports the Service `web` with one endpoint. */
function exportingCluster(address: string): MemoryCluster {
  const cluster = createMemoryCluster()
  cluster.put(SERVICES, {
    metadata: { name: 'web', namespace: 'shop' },
    spec: { ports: [{ name: 'http', port: 80, protocol: 'TCP' }] },
  })
  cluster.put(ENDPOINT_SLICES, sourceSlice(address))
  cluster.put(EXPORTS, { metadata: { name: 'web', namespace: 'shop' } })
  return cluster
}

const DISCOVERY: Readonly<Record<string, unknown>> = {
  '/apis': {
    groups: [
      { name: 'multicluster.x-k8s.io', versions: [{ version: 'v1beta1' }] },
      { name: 'about.k8s.io', versions: [{ version: 'v1' }] },
    ],
  },
  '/apis/about.k8s.io/v1': { resources: [{ name: 'clusterproperties' }] },
  '/apis/multicluster.x-k8s.io/v1beta1': {
    resources: [{ name: 'serviceexports' }, { name: 'serviceimports' }],
  },
}

export interface Fleet<Id extends string = 'eu' | 'us'> {
  readonly clusters: Readonly<Record<Id, MemoryCluster>>
  /** Clusters whose servers do not name the API; a test changes them. */
  readonly unserved: Set<Id>
  /** Handles one message, and tells the calls that it took. */
  handle(fleetVersions?: FleetVersions, receiveCount?: number): Promise<string[]>
  /** Returns the versions that a relay names which has seen everything. */
  versions(): FleetVersions
  /** Starts another process beside it, with these members; returns what handles one message. */
  beside(members: readonly ClusterSetMember[]): () => Promise<void>
  /**
   * Ends the process; another one takes its place that remembers nothing, with these settings as well, and
   * these namespaces of the set.
   */
  restart(settings?: SettingsInput, namespaces?: readonly string[]): void
  /**
   * Returns the state of the clusters without what two servers never give alike: names, uids and versions.
   */
  state(): unknown
}

interface FleetOptions {
  readonly settings?: SettingsInput
  readonly logger?: Log
  /** Milliseconds since the epoch; default 0. */
  readonly now?: () => number
  /** Whether exports may select clusters by their properties. Default false. */
  readonly clusterSelection?: boolean
  /** Whether the members are found by tags. Default false. */
  readonly isDiscovered?: boolean
  /** Properties that the set gives its members, by id. */
  readonly properties?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Name of the Service of the messages. Default `web`. */
  readonly service?: string
}

/** Opens two clusters of one set that both export the Service `web`. */
export const openFleet = (
  roles: Partial<Record<'eu' | 'us', ClusterSetMember['role']>> = {},
  problems: Partial<Record<'eu' | 'us', string>> = {},
  options: FleetOptions = {},
): Fleet => openFleetOf(['eu', 'us'], roles, problems, options)

/** Opens clusters of one set that all export the Service `web`: `10.1.0.1` of the first one, and so on. */
export function openFleetOf<Id extends string>(
  ids: readonly Id[],
  roles: Partial<Record<Id, ClusterSetMember['role']>>,
  problems: Partial<Record<Id, string>>,
  {
    settings = {},
    logger = SILENT_LOG,
    now = () => 0,
    clusterSelection = false,
    isDiscovered = false,
    properties = {},
    service = 'web',
  }: FleetOptions = {},
): Fleet<Id> {
  const clusters = Object.fromEntries(
    ids.map((id, index) => [id, exportingCluster(`10.${index + 1}.0.1`)]),
  ) as Record<Id, MemoryCluster>
  const members = ids.map((id): ClusterSetMember & { id: Id } => ({
    cluster: id,
    id,
    role: roles[id] ?? 'both',
    ...(properties[id] && { properties: properties[id] }),
  }))
  // Set later, it is found out while everything runs.
  const membersNow = (): readonly ClusterSetMember[] =>
    members.map((member) => {
      const problem = problems[member.id]
      return problem === undefined ? member : { ...member, problem }
    })
  const unserved = new Set<Id>()
  const clients = new Map<string, ApiClient>(
    Object.entries<MemoryCluster>(clusters).map(([name, cluster]) => [
      name,
      {
        ...cluster.client,
        cluster: name,
        async read<T>(path: string) {
          const own = await cluster.client.read<{ groups?: readonly object[] }>(path)
          const { groups = [], ...rest } = {
            ...own,
            ...(unserved.has(name as Id) ? {} : Object(DISCOVERY[path])),
          }
          return { ...rest, groups: [...groups, ...(own.groups ?? [])] } as T
        },
      },
    ]),
  )
  let current = settings
  let namespaces = ['*']
  const start = (all = membersNow) =>
    createFleetReconciler({
      sets: () => [{ name: 'default', members: all(), namespaces, clusterSelection, isDiscovered }],
      clientOf(name) {
        const client = clients.get(name)
        if (client === undefined) throw new Error(`there is no cluster ${name}`)
        return client
      },
      settings: parseSettings(current),
      logger,
      clock: { now, pause: async () => undefined },
    })
  let reconcile = start()
  const ending = new AbortController()
  onTestFinished(() => ending.abort())
  return {
    ...{ clusters, unserved },
    async handle(fleetVersions, receiveCount = 1) {
      for (const { calls } of Object.values<MemoryCluster>(clusters)) calls.length = 0
      await reconcile(
        { ...fleetKey('default', 'shop', service), messageIds: [], ...(fleetVersions && { fleetVersions }) },
        { signal: ending.signal, sentTimestamp: 0, receiveCount },
      )
      return Object.entries<MemoryCluster>(clusters).flatMap(([name, { calls }]) =>
        calls.map((call) => `${name}: ${call}`),
      )
    },
    versions: () =>
      Object.fromEntries(
        Object.entries<MemoryCluster>(clusters).map(([name, cluster]) => [name, versionsIn(cluster)]),
      ),
    beside(others) {
      const other = start(() => others)
      const message = { ...fleetKey('default', 'shop', service), messageIds: [] }
      return () => other(message, { signal: ending.signal, sentTimestamp: 0, receiveCount: 1 })
    },
    restart(others, patterns = namespaces) {
      current = { ...current, ...others }
      namespaces = [...patterns]
      reconcile = start()
    },
    state: () => Object.values<MemoryCluster>(clusters).map(stateOf),
  }
}

const stateOf = (cluster: MemoryCluster): unknown => ({
  exports: cluster.all<ServiceExport>(EXPORTS).map(({ status }) => status),
  imports: cluster.all(IMPORTS).map(({ metadata, spec, status }) => {
    const { labels, annotations } = metadata ?? {}
    return { labels, annotations, spec, status }
  }),
  services: cluster.all(SERVICES).map(({ metadata, spec }) => [metadata?.name, metadata?.labels, spec]),
  slices: cluster
    .all(ENDPOINT_SLICES)
    .map(({ metadata, endpoints, ports }) => JSON.stringify([metadata?.labels, endpoints, ports]))
    .sort(),
})

function versionsIn(cluster: MemoryCluster): FleetVersions[string] {
  const versionOf = (field: string, resource: Resource<ApiObject>, name: string): Record<string, string> => {
    const object = cluster.all(resource).find(({ metadata }) => metadata?.name === name)
    return object === undefined ? {} : { [field]: object.metadata?.resourceVersion ?? '' }
  }
  const slices = (areImported: boolean): Record<string, string> =>
    Object.fromEntries(
      cluster
        .all(ENDPOINT_SLICES)
        .filter(({ metadata }) => (metadata?.labels?.[LABEL_SOURCE_CLUSTER] !== undefined) === areImported)
        .map(({ metadata }) => [metadata?.name ?? '', metadata?.resourceVersion ?? '']),
    )
  return {
    ...versionOf('export', EXPORTS, 'web'),
    ...versionOf('service', SERVICES, 'web'),
    slices: slices(false),
    ...versionOf('import', IMPORTS, 'web'),
    ...versionOf('derived', SERVICES, DERIVED),
    imported: slices(true),
  }
}

export const conditionsOf = (cluster: MemoryCluster): readonly Condition[] =>
  cluster.all<ServiceExport>(EXPORTS)[0]?.status?.conditions ?? []

export const addressesIn = (cluster: MemoryCluster): string[] =>
  cluster
    .all(ENDPOINT_SLICES)
    .filter(({ metadata }) => metadata?.labels?.[LABEL_SOURCE_CLUSTER] !== undefined)
    .flatMap(({ endpoints }) => (endpoints ?? []).flatMap(({ addresses }) => addresses))
    .sort()
