import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { listFleetKeys } from '../../cli/explain/index.ts'
import { startFleetRelay } from '../../functions/relay/fleet/index.ts'
import { type ClusterSet, fleetKey } from '../../shared/cluster-sets/index.ts'
import {
  clusterProperties,
  createFleetIndex,
  createFleetReconciler,
  customResourceDefinitions,
  type FleetKind,
  serviceExports,
  serviceImports,
} from '../../shared/fleet/index.ts'
import {
  type ApiClient,
  ENDPOINT_SLICES,
  NAMESPACES,
  type Resource,
  SERVICES,
} from '../../shared/kubernetes/index.ts'
import type { KeyMessage, QueueSender } from '../../shared/queue/index.ts'
import { parseSettings } from '../../shared/settings/index.ts'
import { createLogger } from '../../shared/telemetry/index.ts'
import { type ClusterRole, permissionsOf, readRoles } from '../end-to-end/cluster-role.ts'
import { PROPERTY_DEFINITION } from '../end-to-end/fleet/fleet-clusters.ts'
import { createRawClient, type RawClient } from '../support/raw-client.ts'
import { type ApiServer, startApiServer } from './api-server.ts'
import { applyRoles } from './roles.ts'
import { clientOf } from './run-command.ts'
import { takePermission, untilServerGoesBy } from './taken-permission.ts'

/** The clusters, each of which has the roles of these files alone. */
const FILES = {
  exporter: ['fleet-export.yaml', 'fleet-read-only.yaml'],
  importer: ['fleet-import.yaml', 'fleet-read-only.yaml'],
} as const
type Name = keyof typeof FILES
const NAMES = Object.keys(FILES) as Name[]
/** The groups that the files bind their roles to: each user is in one. */
const GROUPS = { function: 'sliceflow', relay: 'sliceflow-relay', reader: 'sliceflow-read-only' } as const
type Part = keyof typeof GROUPS

const POLL = { timeout: 30_000, interval: 25 }
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const EXPORTS = serviceExports('v1beta1')
const RESOURCES: Readonly<Record<FleetKind, Resource>> = {
  exports: EXPORTS,
  imports: serviceImports('v1beta1'),
  services: SERVICES,
  slices: ENDPOINT_SLICES,
  namespaces: NAMESPACES,
  properties: clusterProperties('v1'),
}
const settings = parseSettings({ coalescingWindow: 0.05 })

interface Cluster {
  readonly server: ApiServer
  readonly admin: RawClient
  readonly users: ReadonlyMap<Part, RawClient>
  readonly roles: readonly ClusterRole[]
}

const clusters = new Map<Name, Cluster>()

/** Finds the part that has a role in its cluster. */
function partOf({ metadata: { name } }: ClusterRole): Part {
  if (name.endsWith('-relay')) return 'relay'
  return name.endsWith('-read-only') ? 'reader' : 'function'
}

function userOf({ users }: Cluster, role: ClusterRole): RawClient {
  const user = users.get(partOf(role))
  if (user === undefined) throw new Error(`nobody has the ClusterRole ${role.metadata.name}`)
  return user
}

function clusterOf(name: Name): Cluster {
  const cluster = clusters.get(name)
  if (cluster === undefined) throw new Error(`${name} is not started`)
  return cluster
}

async function startCluster(name: Name): Promise<void> {
  const parts = Object.entries(GROUPS) as [Part, string][]
  const server = await startApiServer({
    name,
    users: parts.map(([part, group]) => ({ token: `${part}-token`, user: `the-${part}`, groups: [group] })),
    flags: ['--enable-admission-plugins=OwnerReferencesPermissionEnforcement'],
  })
  const admin = createRawClient(server.kubeconfig.text)
  const users = new Map(
    parts.map(([part]) => [part, createRawClient(server.kubeconfigFor(`${part}-token`))] as const),
  )
  for (const definition of [...customResourceDefinitions(), PROPERTY_DEFINITION])
    await admin.post(DEFINITIONS, definition)
  const cluster = { server, admin, users, roles: await applyRoles(admin, FILES[name]) }
  clusters.set(name, cluster)
  for (const role of cluster.roles)
    for (const permission of permissionsOf(role))
      await untilServerGoesBy(userOf(cluster, role), permission, true)
}

beforeAll(async () => void (await Promise.all(NAMES.map(startCluster))))
afterAll(async () => {
  for (const { server, admin, users } of clusters.values()) {
    for (const client of [admin, ...users.values()]) client.close()
    await server.stop()
  }
})

const setOf = (namespace: string, role?: 'both'): ClusterSet => ({
  name: 'default',
  namespaces: [namespace],
  clusterSelection: true,
  members: [
    { cluster: 'exporter', id: 'exporter', role: role ?? 'export' },
    { cluster: 'importer', id: 'importer', role: role ?? 'import' },
  ],
})

interface Scene {
  readonly namespace: string
  /** Clients of the administrators. */
  readonly admins: Readonly<Record<Name, ApiClient>>
  /** Changes the Service and its endpoints. */
  change(): Promise<void>
  unexport(): Promise<void>
}

/** Exports a Service with one endpoint in a namespace of the test's own. */
async function setScene(): Promise<Scene> {
  const namespace = `least-${crypto.randomUUID().slice(0, 8)}`
  const admins = {
    exporter: await clientOf(clusterOf('exporter').server.kubeconfig.text),
    importer: await clientOf(clusterOf('importer').server.kubeconfig.text),
  }
  for (const admin of Object.values(admins)) await admin.create(NAMESPACES, { metadata: { name: namespace } })
  const { exporter } = admins
  const ref = { namespace, name: 'web' }
  await exporter.create(SERVICES, { metadata: ref, spec: { ports: [{ port: 80 }] } })
  const slice = await exporter.create(ENDPOINT_SLICES, {
    metadata: { ...ref, labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.0.1'] }],
    ports: [{ name: '', port: 80, protocol: 'TCP' }],
  })
  await exporter.create(EXPORTS, {
    apiVersion: 'multicluster.x-k8s.io/v1beta1',
    kind: 'ServiceExport',
    metadata: ref,
    spec: { clusterSelectors: [{ propertySelector: { matchProperties: { region: 'eu' } } }] },
  })
  return {
    namespace,
    admins,
    async change() {
      await exporter.update(ENDPOINT_SLICES, { ...slice, endpoints: [{ addresses: ['10.1.0.2'] }] })
      await exporter.patch(SERVICES, ref, { spec: { sessionAffinity: 'ClientIP' } })
    },
    unexport: () => exporter.delete(EXPORTS, ref),
  }
}

/** Connects a part to each cluster. Returns its clients by the cluster's name. */
async function clientsOf(part: Part): Promise<ReadonlyMap<string, ApiClient>> {
  const clients = new Map<string, ApiClient>()
  for (const name of NAMES)
    clients.set(name, await clientOf(clusterOf(name).server.kubeconfigFor(`${part}-token`)))
  return clients
}

function finderOf(clients: ReadonlyMap<string, ApiClient>): (cluster: string) => ApiClient {
  return (cluster) => clients.get(cluster) ?? expect.fail(`there is no cluster ${cluster}`)
}

/** Says what a relay that has seen everything says of the Service. */
async function messageOf({ namespace, admins }: Scene): Promise<KeyMessage> {
  const index = createFleetIndex(setOf(namespace))
  for (const [cluster, { kinds }] of index.members)
    for (const [kind, objects] of kinds) {
      const where = RESOURCES[kind].namespaced ? { namespace } : {}
      objects.listing()
      for (const object of (await admins[cluster as Name].list(RESOURCES[kind], where)).items)
        objects.put(object)
      objects.listed()
    }
  const key = fleetKey('default', namespace, 'web')
  const fleetVersions = index.versions(key) ?? expect.fail('the index lacks a version')
  return { ...key, fleetVersions }
}

/** Reconciles the Service as a function does; what fails is said. */
async function createReconcile(part: Part, set: ClusterSet, said: string[], isShadow = false) {
  const reconcile = createFleetReconciler({
    sets: () => [set],
    clientOf: finderOf(await clientsOf(part)),
    settings: { ...settings, shadow: isShadow },
    logger: createLogger({ write: (line) => void said.push(String(JSON.parse(line).err ?? '')) }),
    onFailed: (_, error) => said.push(textOf(error)),
    // A shadow compares twice what differs, and waits between the two.
    clock: { now: Date.now, pause: async () => undefined },
  })
  const ending = new AbortController()
  onTestFinished(() => ending.abort())
  return (key: KeyMessage): Promise<void> =>
    reconcile(
      { ...key, messageIds: [] },
      { signal: ending.signal, sentTimestamp: Date.now(), receiveCount: 1 },
    ).catch(() => undefined)
}

const textOf = (error: unknown): string =>
  error instanceof AggregateError ? [error, ...error.errors].join('\n') : String(error)

/** Runs a part through all that it ever does, or until `isOver`. Returns what failed. */
type Run = (scene: Scene, isOver: (said: string) => boolean) => Promise<string>

const RUN: Readonly<Record<Part, Run>> = {
  /** Imports a Service, follows a change of it, and takes it back. */
  async function(scene, isOver) {
    const said: string[] = []
    const reconcile = await createReconcile('function', setOf(scene.namespace), said)
    const steps = [async () => undefined, scene.change, scene.unexport]
    for (const step of steps) {
      await step()
      await reconcile(await messageOf(scene))
      if (isOver(said.join('\n'))) break
    }
    return said.join('\n')
  },
  /** Lists and watches until it is synced and has received a change, or a failure. */
  async relay(scene, isOver) {
    return runRelay('relay', setOf(scene.namespace), scene, isOver)
  },
  /** Compares, as a shadow does, and lists, as the commands do. */
  async reader(scene, isOver) {
    const said: string[] = []
    const set = setOf(scene.namespace, 'both')
    const compare = await createReconcile('reader', set, said, true)
    await compare(fleetKey('default', scene.namespace, 'web'))
    const clientOfReader = finderOf(await clientsOf('reader'))
    const { signal } = new AbortController()
    const { failures } = await listFleetKeys({ set, clientOf: clientOfReader, signal })
    said.push(...[...failures.values()].map(textOf))
    const text = said.join('\n')
    return isOver(text) ? text : `${text}\n${await runRelay('reader', set, scene, isOver)}`
  },
}

async function runRelay(part: Part, set: ClusterSet, scene: Scene, isOver: (said: string) => boolean) {
  const said: string[] = []
  const sent: KeyMessage[] = []
  const sender: QueueSender = {
    async send(messages) {
      sent.push(...messages)
      return { accepted: [...messages], unsent: [], rejected: [] }
    },
  }
  const relay = startFleetRelay({
    set,
    clients: [...(await clientsOf(part)).values()],
    settings,
    senders: { live: sender, sweep: sender },
    telemetry: {
      logger: createLogger({ write: (line) => void said.push(String(JSON.parse(line).err ?? '')) }),
    },
  })
  onTestFinished(async () => void (await relay.stop(AbortSignal.timeout(0))))
  const until = (isSo: () => boolean) => expect.poll(() => isSo() || isOver(said.join('\n')), POLL).toBe(true)
  let isSynced = false
  void relay.synced.then(() => {
    isSynced = true
  })
  await until(() => isSynced)
  sent.length = 0
  await scene.change()
  await until(() => sent.length > 0)
  return said.join('\n')
}

describe('each part of a cluster set with the roles of its own group', () => {
  it.each(Object.keys(GROUPS) as Part[])('does all of its work: %s', async (part) => {
    expect((await RUN[part](await setScene(), () => false)).trim()).toBe('')
  })
})

const given = await Promise.all(
  NAMES.map(async (name) =>
    (await readRoles(FILES[name])).roles.map((role) => ({ name, role, title: role.metadata.name })),
  ),
)
/** Roles that one cluster has alone; reading is granted in both. */
const own = given.flat().filter(({ role }) => partOf(role) !== 'reader')

it('a cluster that only exports lets nothing be written but the status of its exports', () => {
  const writes = own
    .filter(({ name }) => name === 'exporter')
    .flatMap(({ role }) => permissionsOf(role))
    .filter(({ verb }) => !/^(get|list|watch)$/.test(verb))
  expect(writes).toEqual([{ group: EXPORTS.group, resource: 'serviceexports/status', verb: 'update' }])
})

describe.each(own)('$title says what is missing', ({ name, role }) => {
  it.each(permissionsOf(role))('without $verb of $resource', async (permission) => {
    const cluster = clusterOf(name)
    const scene = await setScene()
    await takePermission({ admin: cluster.admin, user: userOf(cluster, role) }, role, permission)
    const words = `cannot ${permission.verb} resource "${permission.resource}"`
    const said = await RUN[partOf(role)](scene, (text) => text.includes(words))
    expect(said).toContain(words)
  })
})

const [reading] = (await readRoles('fleet-read-only.yaml')).roles
if (reading === undefined) throw new Error('fleet-read-only.yaml has no role')

describe('sliceflow-fleet-read-only says what is missing', () => {
  it.each(permissionsOf(reading))('without $verb of $resource', async (permission) => {
    const scene = await setScene()
    for (const name of NAMES) {
      const cluster = clusterOf(name)
      await takePermission({ admin: cluster.admin, user: userOf(cluster, reading) }, reading, permission)
    }
    const words = `cannot ${permission.verb} resource "${permission.resource}"`
    expect(await RUN.reader(scene, (text) => text.includes(words))).toContain(words)
  })
})
