import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  describeFleetService,
  explainFleetService,
  type FleetPlan,
  type FleetReport,
  planFleet,
} from '../../../cli/explain/index.ts'
import { type ClusterSet, fleetKey } from '../../../shared/cluster-sets/index.ts'
import {
  createFleetReconciler,
  type FleetDryRunOptions,
  listFleetKeys,
  serviceExports,
  serviceImports,
} from '../../../shared/fleet/index.ts'
import {
  type ApiClient,
  createApiClient,
  ENDPOINT_SLICES,
  SERVICES,
} from '../../../shared/kubernetes/index.ts'
import type { ReconcileOutcome } from '../../../shared/reconciler/index.ts'
import { parseSettings } from '../../../shared/settings/index.ts'
import { SILENT_LOG } from '../../../shared/telemetry/index.ts'
import type { StartCluster } from '../cluster.ts'
import { type FleetClusters, startFleetClusters } from './fleet-clusters.ts'
import { type FleetScene, type FleetSceneOptions, openFleetScene } from './fleet-scene.ts'

const NAMES = ['first', 'second', 'third']
const WRITTEN = [serviceExports('v1beta1'), serviceImports('v1beta1'), SERVICES, ENDPOINT_SLICES]

interface Reader {
  readonly scene: FleetScene
  /** Brings the clusters up to date, as a Sliceflow that may write does. */
  reconcile(): Promise<void>
  explain(): Promise<FleetReport>
  /** Outcomes of reconciles. */
  readonly outcomes: readonly ReconcileOutcome[]
  readonly options: FleetDryRunOptions
  /** Returns the versions of everything that a reconcile may write. */
  versions(): Promise<readonly string[]>
}

/**
 * Commands about a cluster set, over several API servers of one kind.
 * @param startCluster gives the user the permissions of infra/rbac/fleet-read-only.yaml, and no others
 */
export function describeReadingOfFleets(name: string, startCluster: StartCluster): void {
  describe(`a cluster set is read on ${name}, with credentials that may only read,`, () => {
    let fleet: FleetClusters | undefined
    beforeAll(async () => {
      fleet = await startFleetClusters(NAMES, startCluster)
    })
    afterAll(() => fleet?.stop())

    async function openReader(sceneOptions?: FleetSceneOptions): Promise<Reader> {
      const clusters = fleet?.clusters ?? []
      const scene = await openFleetScene(clusters, sceneOptions)
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
      const outcomes: ReconcileOutcome[] = []
      const write = createFleetReconciler({
        onReconciled: (outcome) => void outcomes.push(outcome),
        ...{ sets: () => [set], settings, logger: SILENT_LOG },
        clientOf: (cluster) => admins.get(cluster) as ApiClient,
      })
      return {
        scene,
        options,
        outcomes,
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

    const outcomes = ({ endpoints }: FleetReport): string[] =>
      endpoints.flatMap(({ cluster, addresses, arrivals }) =>
        arrivals.map((arrival) => `${cluster}/${addresses[0]} in ${arrival.cluster}: ${arrival.outcome}`),
      )

    it('and every endpoint is reported as on its way to every cluster before a reconcile, and there after it, with no write of ours', async () => {
      const { scene, explain, reconcile, versions } = await openReader()
      await scene.member('first').addService({}, ['10.1.0.1'])
      await scene.member('first').addExport()
      const before = await versions()

      const pending = await explain()

      expect(outcomes(pending)).toEqual(NAMES.map((place) => `first/10.1.0.1 in ${place}: Pending`))
      expect(
        pending.imports.map(({ state, writes }) => [
          state,
          writes.map(({ verb, kind }) => `${verb} ${kind}`),
        ]),
      ).toEqual(
        NAMES.map((place) => [
          'Pending',
          [
            'create ServiceImport',
            'create Service',
            'create EndpointSlice',
            'update ServiceImport',
            ...(place === 'first' ? ['update ServiceExport'] : []),
          ],
        ]),
      )
      expect(pending.exports[0]).toMatchObject({ state: 'Exported', wins: true, areConditionsWritten: false })
      expect(await versions()).toEqual(before)

      await reconcile()
      const after = await explain()

      expect(outcomes(after)).toEqual(NAMES.map((place) => `first/10.1.0.1 in ${place}: Published`))
      expect(after.imports.map(({ state, writes }) => [state, writes])).toEqual(
        NAMES.map(() => ['Imported', []]),
      )
      expect(after.exports[0]).toMatchObject({ areConditionsWritten: true })
      expect(after.warnings).toEqual([])
    })

    it('and the oldest export is named as the winner, with what the others differ in', async () => {
      const { scene, explain, reconcile, outcomes: reconciled } = await openReader()
      await scene.member('second').addService({}, ['10.2.0.1'])
      await scene.member('second').addExport()
      await new Promise((resolve) => setTimeout(resolve, 1_100))
      const ports = [{ name: 'tcp', port: 43, protocol: 'TCP' }]
      await scene.member('first').addService({ ports }, ['10.1.0.1'])
      await scene.member('first').addExport()
      await reconcile()

      expect(reconciled.at(-1)?.fleet).toEqual({
        exports: 2,
        imports: 3,
        isInConflict: true,
        blocked: 0,
        leftOut: 0,
      })
      const report = await explain()

      expect(report.merged).toMatchObject({
        clusters: ['second', 'first'],
        ports: ['tcp 42/TCP', 'udp 42/UDP'],
      })
      expect(report.exports.map(({ cluster, state, wins }) => [cluster, state, wins])).toEqual([
        ['first', 'Exported', false],
        ['second', 'Exported', true],
        ['third', 'Absent', false],
      ])
      const text = describeFleetService(report, Date.now())
      expect(text).toMatch(/Wins: +second, the oldest of 2 exports/)
      expect(text).toContain('Conflict, PortConflict: ports: those of second, the oldest export, come first')
      expect(report.endpoints.find(({ cluster }) => cluster === 'first')?.leftOut).toEqual({
        code: 'PortNotImported',
        message:
          "none of its ports is one of the import's (tcp 42/TCP, udp 42/UDP): its Service has tcp 43/TCP",
      })
      expect(outcomes(report).filter((one) => one.startsWith('first/'))).toEqual(
        NAMES.map((place) => `first/10.1.0.1 in ${place}: LeftOut`),
      )
    })

    it('and it is said where an import cannot be: no namespace, a ServiceImport of others', async () => {
      const { scene, explain, reconcile, outcomes: reconciled } = await openReader({ without: ['third'] })
      await scene.member('first').addService({}, ['10.1.0.1'])
      await scene.member('second').client.create(serviceImports('v1beta1'), {
        apiVersion: 'multicluster.x-k8s.io/v1beta1',
        kind: 'ServiceImport',
        metadata: { name: 'hello', namespace: scene.namespace },
        spec: { type: 'Headless', ports: [] },
      })
      await scene.member('first').addExport()
      await reconcile()

      expect(reconciled.at(-1)?.fleet).toEqual({
        exports: 1,
        imports: 1,
        isInConflict: false,
        blocked: 1,
        leftOut: 0,
      })
      const report = await explain()

      expect(report.imports.map(({ state, reason }) => [state, reason])).toEqual([
        ['Imported', 'the import is up to date'],
        ['Blocked', 'ServiceImport hello of cluster second is not of this cluster set, and is left alone'],
        ['Blocked', `namespace ${scene.namespace} of cluster third is not there`],
      ])
      expect(outcomes(report)).toEqual([
        'first/10.1.0.1 in first: Published',
        'first/10.1.0.1 in second: LeftOut',
        'first/10.1.0.1 in third: LeftOut',
      ])
    })

    it('and its plan is what the next reconcile writes: what comes, what changes and what goes', async () => {
      const { scene, options, reconcile, versions } = await openReader()
      const first = scene.member('first')
      /** Plans the next reconcile and makes it. Returns the writes of one cluster: verb, kind and name. */
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
      expect(await planAndMake()).toEqual([
        'create ServiceImport',
        'create Service',
        'create EndpointSlice',
        'update ServiceImport',
      ])
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

    it('and its Services are listed: those that are exported, and those that are only imported still', async () => {
      const { scene, options, reconcile } = await openReader()
      const keys = async () => (await listFleetKeys(options)).keys.map(({ service }) => service)
      expect(await keys()).toEqual([])
      await scene.member('first').addService({}, ['10.1.0.1'])
      await scene.member('first').addExport()
      expect(await keys()).toEqual(['hello'])
      await reconcile()
      await scene.member('first').removeExport()
      expect(await keys()).toEqual(['hello'])
      await reconcile()
      expect(await keys()).toEqual([])
    })
  })
}

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
