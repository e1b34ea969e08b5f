import { describe, expect, it, onTestFinished } from 'vitest'
import { startEmbeddedQueues } from '../../../cli/local/index.ts'
import { startLane } from '../../../cli/local/local.ts'
import { openClusterSets } from '../../../functions/environment/index.ts'
import { createDeployedReconcile } from '../../../functions/reconcile/reconcile.ts'
import { startFleetRelays } from '../../../functions/relay/fleet/index.ts'
import { followFoundClusters } from '../../../functions/relay/follow-found-clusters.ts'
import {
  type ClusterClients,
  type ClusterConfig,
  type ClusterDirectory,
  createClusterClients,
} from '../../../shared/clusters/index.ts'
import { serviceImports } from '../../../shared/fleet/index.ts'
import { ENDPOINT_SLICES, SERVICES } from '../../../shared/kubernetes/index.ts'
import { createQueueSender, type DeadLetter, LANES, type Lane } from '../../../shared/queue/index.ts'
import { parseSettings } from '../../../shared/settings/index.ts'
import { SILENT_LOG } from '../../../shared/telemetry/index.ts'
import { until } from '../scene.ts'
import type { FleetCluster } from './fleet-clusters.ts'
import { type FleetScene, openFleetScene, type SceneMember, threeOf, untilImported } from './fleet-scene.ts'

const IMPORTS = serviceImports('v1beta1')
/** Between two searches of the relay: the deployed one waits for minutes. */
const SEARCH_MS = 50
const GRACE_MS = 2_000
const SEARCH: ClusterConfig = { kind: 'discover', region: 'eu-west-1', tagKey: 'manage' }

/** A relay and a function of a deployment, which find clusters by their tags each for itself. */
interface Following {
  /** Gives a cluster these tags beside the one by which it is found. */
  tag(cluster: string, tags: Readonly<Record<string, string>>): void
  /** Has searches miss a cluster from now on. */
  miss(cluster: string): void
  readonly failures: readonly string[]
  readonly deadLetters: readonly DeadLetter[]
}

type Tags = ReadonlyMap<string, Readonly<Record<string, string>>>

/** Makes a directory that knows the tags as they were when it was last asked. */
function directoryOf(clusters: readonly FleetCluster[], tags: Tags): ClusterDirectory {
  let seen: Tags = new Map()
  return {
    isDiscovering: true,
    async connections() {
      seen = new Map(tags)
      return clusters.flatMap(({ name, connection }) => (tags.has(name) ? [connection] : []))
    },
    problems: () => ({ ambiguous: new Map(), unsearched: [] }),
    tags: () => seen,
  }
}

/** Starts both; the sets are as the setting `clusterSets` says. */
async function startFollowing(
  clusters: readonly FleetCluster[],
  sets: readonly object[],
  first: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Promise<Following> {
  const tags = new Map(Object.entries(first))
  const settings = parseSettings({ coalescingWindow: 0.05, clusterSets: JSON.stringify(sets) })
  const failures: string[] = []
  const deadLetters: DeadLetter[] = []
  const [ofRelay, ofFunction] = [
    createClusterClients(directoryOf(clusters, tags), SILENT_LOG),
    createClusterClients(directoryOf(clusters, tags), SILENT_LOG),
  ]
  const setsOf = (clients: ClusterClients) => openClusterSets({ settings, clusters: [SEARCH], clients })
  const queues = await startEmbeddedQueues(settings)
  const reconcile = await createDeployedReconcile({
    clusters: ofFunction,
    sets: setsOf(ofFunction),
    common: {
      clientOf: (cluster) => ofFunction.find(cluster) ?? expect.fail(`${cluster} is not known`),
      settings,
      logger: SILENT_LOG,
      onFailed: (_, error) => failures.push(String(error)),
    },
    recorder: undefined,
  })
  const observer = { onDeadLetter: (letter: DeadLetter) => void deadLetters.push(letter) }
  const mappings = await Promise.all(
    LANES.map((lane) => startLane(lane, { reconcile, queues, settings, observer, logger: SILENT_LOG })),
  )
  const sender = (lane: Lane) =>
    createQueueSender({ client: queues.client, queueUrl: queues.lanes[lane].url, logger: SILENT_LOG })
  const clients = await ofRelay.refresh()
  const relays = startFleetRelays({
    ...{ sets: setsOf(ofRelay)(), clients, settings, telemetry: { logger: SILENT_LOG } },
    senders: { live: sender('live'), sweep: sender('sweep') },
  })
  const ending = new AbortController()
  const searching = followFoundClusters({
    ...{ clusters: ofRelay, logger: SILENT_LOG, intervalMs: SEARCH_MS, signal: ending.signal },
    relay: {
      clusters: clusters.map(({ name }) => name),
      follow: (found, signal) => relays.follow(setsOf(ofRelay)(), found, signal),
    },
  })
  onTestFinished(async () => {
    ending.abort()
    await searching
    await relays.stop(AbortSignal.timeout(GRACE_MS))
    await Promise.all(mappings.map((mapping) => mapping.stop()))
    for (const each of [ofRelay, ofFunction]) each.close()
    await queues.stop()
  })
  return {
    ...{ failures, deadLetters },
    tag: (cluster, own) => void tags.set(cluster, own),
    miss: (cluster) => void tags.delete(cluster),
  }
}

/** Describes clusters whose tags change while everything runs. */
export function describeJoining(open: () => readonly FleetCluster[]): void {
  interface Exports {
    readonly scene: FleetScene
    readonly first: SceneMember
    readonly second: SceneMember
    readonly third: SceneMember
  }

  /** Opens a scene in which each cluster exports one endpoint. */
  async function openExports(): Promise<Exports> {
    const scene = await openFleetScene(open())
    const { first, second, third } = threeOf(scene)
    for (const [at, member] of [first, second, third].entries()) {
      await member.addService({}, [`10.${at + 1}.0.1`])
      await member.addExport()
    }
    return { scene, first, second, third }
  }

  /** Creates objects of others beside those of the set. Returns how they are by now. */
  async function addForeign({ client }: SceneMember, namespace: string): Promise<() => Promise<unknown[]>> {
    const ref = { namespace, name: 'other' }
    const ofAnother = { ...ref, labels: { 'multicluster.kubernetes.io/service-name': 'hello' } }
    await client.create(IMPORTS, {
      ...{ apiVersion: 'multicluster.x-k8s.io/v1beta1', kind: 'ServiceImport', metadata: ref },
      spec: { type: 'ClusterSetIP', ports: [] },
    })
    await client.create(SERVICES, { metadata: ofAnother, spec: { ports: [{ port: 80 }] } })
    await client.create(ENDPOINT_SLICES, { metadata: ofAnother, addressType: 'IPv4', endpoints: [] })
    return () =>
      Promise.all([IMPORTS, SERVICES, ENDPOINT_SLICES].map((resource) => client.get<object>(resource, ref)))
  }

  describe('a cluster of a deployment', () => {
    it('that gets the tag of a set imports and exports, and that loses it has its imports removed and nothing of others', async () => {
      const { scene, first, second, third } = await openExports()
      const [one, two, three] = open().map(({ name }) => name)
      const foreign = await addForeign(third, scene.namespace)
      const before = await foreign()
      const byTag = { tagKey: 'set', tagValue: 'prod' }
      const set = { name: 'default', namespaces: [scene.namespace] }
      const { tag, failures, deadLetters } = await startFollowing(
        open(),
        [{ ...set, clusters: [byTag, { name: '*', role: 'leave' }] }],
        { [`${one}`]: { set: 'prod' }, [`${two}`]: { set: 'prod' }, [`${three}`]: { set: 'test' } },
      )
      const ofTwo = [`${one}/10.1.0.1`, `${two}/10.2.0.1`]
      await untilImported([first, second], ofTwo)
      expect(await third.imported()).toBeUndefined()
      expect(await third.conditions()).toEqual({})

      tag(`${three}`, { set: 'prod' })
      await untilImported(scene.members, [...ofTwo, `${three}/10.3.0.1`])
      await until(() => third.conditions()).toMatchObject({ Ready: 'True Exported' })
      await third.publish(['10.3.0.2'])
      await untilImported(scene.members, [...ofTwo, `${three}/10.3.0.2`])

      tag(`${three}`, {})
      await untilImported([first, second], ofTwo)
      await until(() => third.imported()).toBeUndefined()
      await until(() => third.derived()).toBeUndefined()
      await until(async () => (await third.slices()).map(({ metadata }) => metadata?.name)).toEqual(['other'])
      expect(await foreign()).toEqual(before)
      await second.publish(['10.2.0.2'])
      await untilImported([first, second], [`${one}/10.1.0.1`, `${two}/10.2.0.2`])
      expect(await third.imported()).toBeUndefined()
      expect(failures).toEqual([])
      expect(deadLetters).toEqual([])
    })

    it('that searches miss without an error keeps what it gave', async () => {
      const { scene, first, second } = await openExports()
      const [one, two] = open().map(({ name }) => name)
      const prod = { name: 'default', namespaces: [scene.namespace], clusters: [{ tagKey: 'set' }] }
      const { miss, failures } = await startFollowing(open(), [prod], {
        [`${one}`]: { set: 'prod' },
        [`${two}`]: { set: 'prod' },
      })
      await untilImported([first, second], [`${one}/10.1.0.1`, `${two}/10.2.0.1`])
      miss(`${two}`)
      await until(async () => (await first.imported())?.status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'sliceflow.dev/UnreachableClusters', status: 'True' }),
      )
      await first.publish(['10.1.0.2'])
      await untilImported([first], [`${one}/10.1.0.2`, `${two}/10.2.0.1`])
      expect(failures).toEqual([])
    })

    it('that two sets claim by its tags keeps what it gave, its keys say which tags, and it is back once they are mended', async () => {
      const { scene, first, second } = await openExports()
      const [one, two, three] = open().map(({ name }) => name)
      const set = (name: string, tagValue: string) => ({
        ...{ name, namespaces: [scene.namespace] },
        clusters: [{ tagKey: name, tagValue }],
      })
      const { tag, failures } = await startFollowing(open(), [set('prod', 'yes'), set('test', 'yes')], {
        [`${one}`]: { prod: 'yes' },
        [`${two}`]: { prod: 'yes' },
        [`${three}`]: { prod: 'no' },
      })
      const both = [`${one}/10.1.0.1`, `${two}/10.2.0.1`]
      await untilImported([first, second], both)

      tag(`${two}`, { prod: 'yes', test: 'yes' })
      await until(() => failures.join('\n')).toContain(
        `cluster "${two}" is in the sets "prod" by the tag prod=yes and "test" by the tag test=yes; a cluster is in one set at most: change an entry of the sets, or its tags`,
      )
      await first.publish(['10.1.0.2'])
      await untilImported([first], [`${one}/10.1.0.2`, `${two}/10.2.0.1`])
      expect(await second.addresses()).toEqual(both)

      tag(`${two}`, { prod: 'yes' })
      await untilImported([first, second], [`${one}/10.1.0.2`, `${two}/10.2.0.1`])
    })
  })
}
