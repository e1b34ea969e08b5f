import { randomBytes } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { type ClusterSet, type ClusterSetMember, fleetKey } from '../../../shared/cluster-sets/index.ts'
import type { Endpoint, EndpointSlice, Service } from '../../../shared/endpointslice/index.ts'
import {
  type Condition,
  derivedServiceName,
  LABEL_IMPORT_NAME,
  LABEL_SOURCE_CLUSTER,
  type ServiceExport,
  type ServiceImport,
  serviceExports,
  serviceImports,
} from '../../../shared/fleet/index.ts'
import {
  type ApiClient,
  type ApiObject,
  type ClusterConnection,
  ENDPOINT_SLICES,
  NAMESPACES,
  NotFoundError,
  type Resource,
  SERVICES,
} from '../../../shared/kubernetes/index.ts'
import { parseSettings, type SettingsInput } from '../../../shared/settings/index.ts'
import { startTcpProxy } from '../../support/tcp-proxy.ts'
import { until } from '../scene.ts'
import { type Sliceflow, startSliceflow } from '../sliceflow.ts'
import type { FleetCluster } from './fleet-clusters.ts'

const EXPORTS = serviceExports('v1beta1')
const IMPORTS = serviceImports('v1beta1')
const NAME = 'hello'

type ServiceSpec = NonNullable<Service['spec']>

/** One cluster of a scene, and the things that people do there. */
export interface SceneMember {
  readonly client: ApiClient
  /**
   * Adds a Service, and ready endpoints with these addresses as another controller publishes them. Default:
   * none.
   */
  addService(spec?: Partial<ServiceSpec>, addresses?: readonly string[]): Promise<void>
  patchService(patch: unknown): Promise<void>
  removeService(): Promise<void>
  /** Publishes these endpoints in its source slice. */
  publish(endpoints: readonly (string | Endpoint)[]): Promise<void>
  addExport(spec?: ServiceExport['spec']): Promise<void>
  /** Writes annotations on the ServiceExport; null takes one away. */
  annotateExport(annotations: Readonly<Record<string, string | null>>): Promise<void>
  removeExport(): Promise<void>
  /** Returns the conditions of the ServiceExport: its status and reason by type. */
  conditions(): Promise<Readonly<Record<string, string>>>
  conditionsInFull(): Promise<readonly Condition[]>
  imported(): Promise<ServiceImport | undefined>
  derived(): Promise<Service | undefined>
  slices(): Promise<readonly EndpointSlice[]>
  /** Shuts Sliceflow's ways to the cluster and cuts open ones, or opens all again. */
  setReachable(isReachable: boolean): void
  /** Returns the addresses of imported endpoints that are ready, with their cluster: `blue/10.0.0.1`. */
  addresses(): Promise<readonly string[]>
}

/** A Sliceflow in this process, with queues of its own. */
interface FleetSliceflow
  extends Pick<Sliceflow, 'compared' | 'outcomes' | 'failures' | 'followed' | 'letters' | 'log' | 'stop'> {
  /** Puts the key of the Service on the live lane as if a relay had sent it. */
  sync(): Promise<void>
}

/** A namespace of a test's own in every cluster. Everything is gone after the test. */
export interface FleetScene {
  readonly namespace: string
  member(name: string): SceneMember
  readonly members: readonly SceneMember[]
  /** Starts a Sliceflow with all clusters in one set, and waits until each was listed. */
  start(options?: {
    readonly settings?: SettingsInput
    readonly roles?: Readonly<Record<string, ClusterSetMember['role']>>
    readonly namespaces?: readonly string[]
    readonly waits?: boolean
    /** Fields of the set besides. */
    readonly set?: Partial<ClusterSet>
    /** Gives another connection in place of a cluster's. */
    readonly connect?: (connection: ClusterConnection) => ClusterConnection
  }): Promise<FleetSliceflow>
}

export async function openFleetScene(clusters: readonly FleetCluster[]): Promise<FleetScene> {
  const namespace = `fleet-${randomBytes(4).toString('hex')}`
  for (const { client } of clusters) await client.create(NAMESPACES, { metadata: { name: namespace } })
  const doors = new Map<string, Door>()
  for (const cluster of clusters) doors.set(cluster.name, await openDoor(cluster))
  const members = new Map(
    clusters.map(({ name, client }) => [
      name,
      { ...memberOf(client, namespace), setReachable: (is: boolean) => doors.get(name)?.setOpen(is) },
    ]),
  )
  onTestFinished(async () => {
    for (const { client } of clusters) await clear(client, namespace)
  })
  return {
    namespace,
    members: [...members.values()],
    member(name) {
      const found = members.get(name)
      if (found === undefined) throw new Error(`there is no cluster ${name}`)
      return found
    },
    async start({ settings = {}, roles = {}, namespaces = [namespace], waits = true, ...given } = {}) {
      const { connect = (connection) => connection } = given
      const set: ClusterSet = {
        name: 'default',
        namespaces,
        members: clusters.map(({ name }) => ({ cluster: name, id: name, role: roles[name] ?? 'both' })),
        ...given.set,
      }
      const sliceflow = await startSliceflow(
        clusters.map(({ name, connection }) => connect(doors.get(name)?.through(connection) ?? connection)),
        parseSettings({ coalescingWindow: 0.05, ...settings }),
        { sets: [set] },
      )
      if (waits) await sliceflow.synced
      return { ...sliceflow, sync: () => sliceflow.send('live', [fleetKey('default', namespace, NAME)]) }
    },
  }
}

/** A way to a cluster that can be shut. */
interface Door {
  through(connection: ClusterConnection): ClusterConnection
  setOpen(isOpen: boolean): void
}

async function openDoor({ connection: { server } }: FleetCluster): Promise<Door> {
  const proxy = await startTcpProxy({ target: { hostname: server.hostname, port: Number(server.port) } })
  onTestFinished(() => proxy.close())
  return {
    through(connection) {
      const own = new URL(connection.server)
      own.port = String(proxy.port)
      return { ...connection, server: own }
    },
    setOpen(isOpen) {
      proxy.setOpen(isOpen)
      if (!isOpen) proxy.cutAll()
    },
  }
}

function memberOf(client: ApiClient, namespace: string): Omit<SceneMember, 'setReachable'> {
  const ref = { namespace, name: NAME }
  const found = async <T extends ApiObject>(resource: Resource<T>, name = NAME): Promise<T | undefined> =>
    client.get(resource, { namespace, name }).catch((error: unknown) => {
      if (error instanceof NotFoundError) return undefined
      throw error
    })
  const slices = async (): Promise<readonly EndpointSlice[]> =>
    (await client.list(ENDPOINT_SLICES, { namespace, labelSelector: `${LABEL_IMPORT_NAME}=${NAME}` })).items
  const conditionsInFull = async (): Promise<readonly Condition[]> =>
    (await found(EXPORTS))?.status?.conditions ?? []
  return {
    client,
    async addService(spec = {}, addresses = []) {
      const ports = [
        { name: 'tcp', port: 42, protocol: 'TCP', targetPort: 8042 },
        { name: 'udp', port: 42, protocol: 'UDP', targetPort: 8042 },
      ]
      await client.create(SERVICES, { metadata: ref, spec: { ports, ...spec } })
      if (addresses.length > 0) await this.publish(addresses)
    },
    async patchService(patch) {
      await client.patch(SERVICES, ref, patch)
    },
    removeService: () => client.delete(SERVICES, ref),
    async publish(endpoints) {
      const service = await client.get(SERVICES, ref)
      const slice = sourceSlice(service, endpoints)
      if ((await found(ENDPOINT_SLICES, `${NAME}-source`)) === undefined)
        await client.create(ENDPOINT_SLICES, slice)
      else await client.update(ENDPOINT_SLICES, slice)
    },
    async addExport(spec) {
      await client.create(EXPORTS, {
        apiVersion: 'multicluster.x-k8s.io/v1beta1',
        kind: 'ServiceExport',
        metadata: ref,
        ...(spec && { spec }),
      })
    },
    async annotateExport(annotations) {
      await client.patch(EXPORTS, ref, { metadata: { annotations } })
    },
    removeExport: () => client.delete(EXPORTS, ref),
    conditionsInFull,
    async conditions() {
      const all = await conditionsInFull()
      return Object.fromEntries(all.map(({ type, status, reason }) => [type, `${status} ${reason}`]))
    },
    imported: () => found(IMPORTS),
    derived: () => found(SERVICES, derivedServiceName(namespace, NAME)),
    slices,
    async addresses() {
      const all = (await slices()).flatMap(({ metadata, endpoints }) =>
        (endpoints ?? [])
          .filter(({ conditions }) => conditions?.ready !== false)
          .flatMap((each) =>
            each.addresses.map((one) => `${metadata?.labels?.[LABEL_SOURCE_CLUSTER]}/${one}`),
          ),
      )
      return all.sort()
    },
  }
}

/** Makes a slice as a controller of that cluster writes it. */
function sourceSlice({ metadata, spec }: Service, endpoints: readonly (string | Endpoint)[]): EndpointSlice {
  return {
    metadata: {
      name: `${NAME}-source`,
      ...(metadata?.namespace !== undefined && { namespace: metadata.namespace }),
      labels: {
        'kubernetes.io/service-name': NAME,
        'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
      },
    },
    addressType: 'IPv4',
    endpoints: endpoints.map((endpoint) =>
      typeof endpoint === 'string' ? { addresses: [endpoint], conditions: { ready: true } } : endpoint,
    ),
    ports: (spec?.ports ?? []).map(({ name = '', port, protocol = 'TCP', targetPort }) => ({
      name,
      protocol,
      port: typeof targetPort === 'number' ? targetPort : port,
    })),
  }
}

/** Removes the objects of a namespace, as not every cluster has the controllers that empty one. */
async function clear(client: ApiClient, namespace: string): Promise<void> {
  for (const resource of [EXPORTS, IMPORTS, SERVICES, ENDPOINT_SLICES]) {
    const { items } = await client.list<ApiObject>(resource, { namespace }).catch(() => ({ items: [] }))
    for (const { metadata } of items)
      await client.delete(resource, { namespace, name: metadata?.name ?? '' }).catch(() => undefined)
  }
}

/** Waits until every cluster imports endpoints with these addresses, and no others. */
export const untilImported = (members: readonly SceneMember[], addresses: readonly string[]) =>
  until(() => Promise.all(members.map((member) => member.addresses()))).toEqual(members.map(() => addresses))

/** Returns the first three clusters. */
export function threeOf({ members: [first, second, third] }: FleetScene) {
  if (first === undefined || second === undefined || third === undefined)
    throw new Error('three clusters are needed')
  return { first, second, third }
}
