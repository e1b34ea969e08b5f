import { describe, it, onTestFinished } from 'vitest'
import { openFleetScene, type SceneMember, untilImported } from '../end-to-end/fleet/fleet-scene.ts'
import { until } from '../end-to-end/scene.ts'
import { mergeKubeconfigs } from '../support/kubeconfig.ts'
import { openFaultyWay } from './faults/use-cluster.ts'
import { useRealFleet } from './real-fleet.ts'
import { startRun, writeFileForTest } from './run-command.ts'

const NAMES = ['first', 'second']

const fleet = useRealFleet(NAMES)

/** A namespace of a test's own in both clusters, and the command as operators start it. */
interface Story {
  readonly first: SceneMember
  readonly all: readonly SceneMember[]
  start(kubeconfig: string): Promise<ReturnType<typeof startRun>>
}

async function openStory(): Promise<Story> {
  const scene = await openFleetScene(fleet.clusters)
  const contexts = NAMES.flatMap((name) => ['--context', name])
  return {
    first: scene.member('first'),
    all: scene.members,
    async start(user) {
      const file = await writeFileForTest(
        'kubeconfig',
        mergeKubeconfigs([fleet.serverOf('first').user, user]),
      )
      return startRun(file, '--fleet', '--fleet-namespaces', scene.namespace, ...contexts)
    },
  }
}

describe('a cluster that exports and one that imports', () => {
  it.each([
    ['POST', '/serviceimports'],
    ['POST', '/services'],
    ['POST', '/endpointslices'],
    ['PUT', '/status'],
  ])('are right after a kill in the middle of a %s of %s in the one that imports', async (method, path) => {
    const { first, all, start } = await openStory()
    const { proxy, kubeconfig } = await openFaultyWay(fleet.serverOf('second'))
    const victim = await start(kubeconfig)
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
    await (await start(fleet.serverOf('second').user)).ready
    await untilImported(all, ['first/10.1.0.1'])
    await until(() => first.conditions()).toMatchObject({ Valid: 'True Valid', Ready: 'True Exported' })
  })
})
