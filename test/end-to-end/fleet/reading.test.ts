import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import {
  explainFleetService,
  type FleetPlan,
  type FleetReport,
  planFleet,
} from '../../../cli/explain/index.ts'
import { type ClusterSet, fleetKey } from '../../../shared/cluster-sets/index.ts'
import {
  createFleetReconciler,
  type FleetDryRunOptions,
  serviceExports,
  serviceImports,
} from '../../../shared/fleet/index.ts'
import {
  type ApiClient,
  createApiClient,
  ENDPOINT_SLICES,
  SERVICES,
} from '../../../shared/kubernetes/index.ts'
import { parseSettings } from '../../../shared/settings/index.ts'
import { SILENT_LOG } from '../../../shared/telemetry/index.ts'
import { startEmbeddedCluster } from '../embedded-cluster.ts'
import { type FleetClusters, startFleetClusters } from './fleet-clusters.ts'
import { type FleetScene, openFleetScene } from './fleet-scene.ts'

const NAMES = ['first', 'second', 'third']
const WRITTEN = [serviceExports('v1beta1'), serviceImports('v1beta1'), SERVICES, ENDPOINT_SLICES]

interface Reader {
  readonly scene: FleetScene
  /** Brings the clusters up to date, as a Sliceflow that may write does. */
  reconcile(): Promise<void>
  explain(): Promise<FleetReport>
  readonly options: FleetDryRunOptions
  /** Returns the versions of everything that a reconcile may write. */
  versions(): Promise<readonly string[]>
}

let fleet: FleetClusters | undefined
beforeAll(async () => {
  fleet = await startFleetClusters(NAMES, (name) =>
    startEmbeddedCluster(name, { roleFile: 'fleet-read-only.yaml', crds: true }),
  )
})
afterAll(() => fleet?.stop())

/** Opens a scene whose reader has the permissions of infra/rbac/fleet-read-only.yaml, and no others. */
async function openReader(): Promise<Reader> {
  const clusters = fleet?.clusters ?? []
  const scene = await openFleetScene(clusters)
  const users = new Map(clusters.map(({ name, connection }) => [name, createApiClient(connection)]))
  onTestFinished(() => {
    for (const client of users.values()) client.close()
  })
  const set: ClusterSet = {
    name: 'default',
    namespaces: [scene.namespace],
    members: NAMES.map((cluster) => ({ cluster, id: cluster, role: 'both' })),
  }
  const settings = parseSettings({})
  const options: FleetDryRunOptions = {
    ...{ set, settings, namespace: scene.namespace, name: 'hello', logger: SILENT_LOG, now: Date.now },
    clientOf: (cluster) => users.get(cluster) as ApiClient,
    signal: new AbortController().signal,
  }
  const admins = new Map(clusters.map(({ name, client }) => [name, client]))
  const write = createFleetReconciler({
    ...{ sets: () => [set], settings, logger: SILENT_LOG },
    clientOf: (cluster) => admins.get(cluster) as ApiClient,
  })
  return {
    scene,
    options,
    async reconcile() {
      const context = { signal: options.signal, receiveCount: 1, sentTimestamp: Date.now() }
      await write({ ...fleetKey('default', scene.namespace, 'hello'), messageIds: [] }, context)
    },
    async explain() {
      const report = await explainFleetService(options)
      if (report === undefined) throw new Error('the Service is not known')
      return report
    },
    async versions() {
      const lists = clusters.flatMap(({ name, client }) =>
        WRITTEN.map(async (resource) => {
          const { items } = await client.list<object>(resource, { namespace: scene.namespace })
          return (items as { metadata?: { name?: string; resourceVersion?: string } }[]).map(
            ({ metadata }) => `${name} ${resource.plural} ${metadata?.name} ${metadata?.resourceVersion}`,
          )
        }),
      )
      return (await Promise.all(lists)).flat()
    },
  }
}

const arrivalsIn = ({ endpoints }: FleetReport): string[] =>
  endpoints.flatMap(({ cluster, addresses, arrivals }) =>
    arrivals.map((arrival) => `${cluster}/${addresses[0]} in ${arrival.cluster}: ${arrival.outcome}`),
  )

it('with credentials that may only read, a cluster set is explained, and its plan is what the next reconcile writes', async () => {
  const { scene, options, explain, reconcile, versions } = await openReader()
  const first = scene.member('first')
  /** Plans the next reconcile and makes it. Returns the writes of one cluster: verb and kind. */
  async function planAndMake(): Promise<readonly string[]> {
    const before = await versions()
    const { services, failures } = await planFleet(options)
    expect(failures).toEqual([])
    expect(await versions(), 'nothing is written').toEqual(before)
    await reconcile()
    expect((await planFleet(options)).services, 'nothing is left to write').toEqual([])
    const [service] = services
    const clusters = service?.clusters ?? []
    expect(clusters.map(({ cluster }) => cluster)).toEqual(NAMES)
    const after = await versions()
    expect(clusters.flatMap((planned) => undoneWrites(planned, after))).toEqual([])
    const third = clusters.find(({ cluster }) => cluster === 'third')
    return (third?.writes ?? []).map(({ verb, kind }) => `${verb} ${kind}`)
  }
  await first.addService({}, ['10.1.0.1'])
  await first.addExport()
  const pending = await explain()
  expect(arrivalsIn(pending)).toEqual(NAMES.map((place) => `first/10.1.0.1 in ${place}: Pending`))
  expect(pending.exports[0]).toMatchObject({ state: 'Exported', wins: true, areConditionsWritten: false })
  expect(await planAndMake()).toEqual([
    'create ServiceImport',
    'create Service',
    'create EndpointSlice',
    'update ServiceImport',
  ])
  const after = await explain()
  expect(arrivalsIn(after)).toEqual(NAMES.map((place) => `first/10.1.0.1 in ${place}: Published`))
  expect(after.imports.map(({ state, writes }) => [state, writes])).toEqual(NAMES.map(() => ['Imported', []]))
  expect(after.exports[0]).toMatchObject({ areConditionsWritten: true })
  expect(after.warnings).toEqual([])

  await first.publish(['10.1.0.2'])
  expect(await planAndMake()).toEqual(['update EndpointSlice'])
  await first.removeExport()
  expect((await planAndMake()).toSorted()).toEqual([
    'delete EndpointSlice',
    'delete Service',
    'delete ServiceImport',
  ])
  expect(await planFleet(options)).toMatchObject({ synced: 0, services: [] })
})

/** Returns the planned writes of a cluster that were not made, by the objects that are there now. */
function undoneWrites(
  { cluster, writes }: FleetPlan['services'][number]['clusters'][number],
  objects: readonly string[],
): string[] {
  const isThere = (kind: string, name: string): boolean =>
    objects.some((line) => line.startsWith(`${cluster} ${kind.toLowerCase()}s ${name} `))
  return (
    writes
      // The name of a new slice follows from the uid of its import, which is not there yet.
      .filter(({ kind, verb }) => kind !== 'EndpointSlice' || verb !== 'create')
      .filter(({ kind, name, verb }) => isThere(kind, name) === (verb === 'delete'))
      .map(({ kind, name, verb }) => `${cluster}: ${verb} ${kind} ${name}`)
  )
}
