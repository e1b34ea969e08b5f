import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { FLEET_ROLE_FILES } from '../end-to-end/cluster-role.ts'
import { type FleetClusters, startFleetClusters } from '../end-to-end/fleet/fleet-clusters.ts'
import {
  type FleetScene,
  openFleetScene,
  type SceneMember,
  untilImported,
} from '../end-to-end/fleet/fleet-scene.ts'
import { until } from '../end-to-end/scene.ts'
import { mergeKubeconfigs } from '../support/kubeconfig.ts'
import { type RealCluster, startRealCluster } from './end-to-end-cluster.ts'
import { openFaultyWay } from './faults/use-cluster.ts'
import { startRun, writeFileForTest } from './run-command.ts'

const NAMES = ['first', 'second', 'third', 'fourth', 'fifth']
/** Five API servers that start one beside the other on a crowded machine. */
const START_TIMEOUT_MS = 240_000
const STORY_TIMEOUT_MS = 300_000

const servers = new Map<string, RealCluster>()
let fleet: FleetClusters

beforeAll(async () => {
  fleet = await startFleetClusters(NAMES, async (name) => {
    const cluster = await startRealCluster(name, FLEET_ROLE_FILES)
    servers.set(name, cluster)
    return cluster
  })
}, START_TIMEOUT_MS)
afterAll(() => fleet?.stop())

const serverOf = (name: string): RealCluster => {
  const found = servers.get(name)
  if (found === undefined) throw new Error(`there is no cluster ${name}`)
  return found
}

/** Two clusters that export, in a namespace of a test's own. */
interface Story {
  readonly scene: FleetScene
  readonly first: SceneMember
  readonly second: SceneMember
  readonly all: readonly SceneMember[]
  /** Starts the command as operators do: with all clusters. */
  start(kubeconfigs?: readonly string[]): ReturnType<typeof startRun>
}

async function openStory(): Promise<Story> {
  const scene = await openFleetScene(fleet.clusters)
  const users = NAMES.map((name) => serverOf(name).user)
  const file = await writeFileForTest('kubeconfig', mergeKubeconfigs(users))
  const contexts = NAMES.flatMap((name) => ['--context', name])
  return {
    scene,
    first: scene.member('first'),
    second: scene.member('second'),
    all: scene.members,
    start: (kubeconfigs = [file]) => {
      const [kubeconfig = file] = kubeconfigs
      return startRun(kubeconfig, '--fleet', '--fleet-namespaces', scene.namespace, ...contexts)
    },
  }
}

/** Reads the versions of everything that an import has made, in every cluster. */
const versionsOf = (members: readonly SceneMember[]) =>
  Promise.all(
    members.map(async (member) => [
      (await member.imported())?.metadata?.resourceVersion,
      (await member.derived())?.metadata?.resourceVersion,
      ...(await member.slices()).map(({ metadata }) => metadata?.resourceVersion),
    ]),
  )

describe('five clusters', () => {
  it('import what two of them export, through a conflict, a restart and a cluster that is lost and comes back', {
    timeout: STORY_TIMEOUT_MS,
  }, async () => {
    const { first, second, all, start } = await openStory()
    const run = start()
    await run.ready

    await first.addService({}, ['10.1.0.1'])
    await first.addExport()
    await untilImported(all, ['first/10.1.0.1'])
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    await second.addService({ sessionAffinity: 'ClientIP' }, ['10.2.0.1'])
    await second.addExport()
    await untilImported(all, ['first/10.1.0.1', 'second/10.2.0.1'])

    for (const member of [first, second])
      await until(() => member.conditions()).toMatchObject({
        Conflict: expect.stringMatching(/^True SessionAffinityConflict/),
      })
    await second.patchService({ spec: { sessionAffinity: 'None', sessionAffinityConfig: null } })
    for (const member of [first, second])
      await until(() => member.conditions()).toMatchObject({
        Conflict: 'False NoConflicts',
        Ready: 'True Exported',
      })

    const before = await versionsOf(all)
    run.kill('SIGTERM')
    expect(await run.ended).toBe(0)
    const again = start()
    await again.ready
    await first.publish(['10.1.0.1', '10.1.0.2'])
    await untilImported(all, ['first/10.1.0.1', 'first/10.1.0.2', 'second/10.2.0.1'])
    const objects = (versions: readonly (readonly unknown[])[]) => versions.map(([one, two]) => [one, two])
    expect(objects(await versionsOf(all))).toEqual(objects(before))

    const lost = serverOf('second').server
    await lost.kill('SIGKILL')
    const others = all.filter((member) => member !== second)
    await first.publish(['10.1.0.3'])
    await untilImported(others, ['first/10.1.0.3', 'second/10.2.0.1'])
    await lost.restart()
    await second.publish(['10.2.0.2'])
    await untilImported(all, ['first/10.1.0.3', 'second/10.2.0.2'])

    await first.removeExport()
    await untilImported(all, ['second/10.2.0.2'])
    await second.removeExport()
    for (const member of all) {
      await until(() => member.imported()).toBeUndefined()
      await until(() => member.derived()).toBeUndefined()
      await until(() => member.slices()).toEqual([])
    }
  })

  it.each([
    ['POST', '/serviceimports'],
    ['POST', '/services'],
    ['POST', '/endpointslices'],
    ['PUT', '/status'],
  ])(
    'are right after a kill in the middle of a %s of %s in the last one',
    {
      timeout: STORY_TIMEOUT_MS,
    },
    async (method, path) => {
      const { first, all, start } = await openStory()
      const { proxy, kubeconfig } = await openFaultyWay(serverOf('fifth'))
      const users = NAMES.map((name) => (name === 'fifth' ? kubeconfig : serverOf(name).user))
      const victim = start([await writeFileForTest('kubeconfig', mergeKubeconfigs(users))])
      await victim.ready
      proxy.decide((request) => {
        const [asked = ''] = request.url.split('?')
        if (request.method !== method || !asked.endsWith(path)) return undefined
        victim.kill('SIGKILL')
        return { kind: 'cut-before-reply' }
      })
      onTestFinished(() => proxy.decide(() => undefined))
      await first.addService({}, ['10.1.0.1'])
      await first.addExport()
      await victim.ended
      await start().ready
      await untilImported(all, ['first/10.1.0.1'])
      await until(() => first.conditions()).toMatchObject({ Valid: 'True Valid', Ready: 'True Exported' })
    },
  )
})
