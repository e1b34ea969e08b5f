import { describe, expect, it } from 'vitest'
import { snapshotSlices } from '../../functions/demo/world/index.ts'
import { numbered, type OpenCluster, openScene, type Scene, until } from './scene.ts'

/** How a Service ceases to be ours, and becomes ours again. */
interface Transition {
  readonly sentence: string
  readonly leave: (scene: Scene) => Promise<void>
  readonly comeBack: (scene: Scene) => Promise<void>
}

const TRANSITIONS: readonly Transition[] = [
  {
    sentence: 'it loses its selector',
    leave: (scene) => scene.patchService('web', withoutSelector(scene)),
    comeBack: (scene) => scene.patchService('web', scene.selectorPatch({ app: 'web' })),
  },
  {
    sentence: 'it becomes an ExternalName',
    leave: ({ patchService }) =>
      patchService('web', {
        spec: { type: 'ExternalName', externalName: 'example.org', clusterIP: null, clusterIPs: null },
      }),
    comeBack: ({ patchService }) => patchService('web', { spec: { type: 'ClusterIP', externalName: null } }),
  },
]

const withoutSelector = ({ settings }: Scene): unknown =>
  settings.mode === 'replace'
    ? { spec: { selector: null } }
    : { metadata: { annotations: { 'sliceflow.dev/selector': null } } }

const POLICIES = ['custom', 'replace'].flatMap((mode) =>
  ['auto', 'keep', 'delete'].map((leftovers) => {
    const stay = leftovers === 'keep' || (leftovers === 'auto' && mode === 'replace')
    return { mode, leftovers, stay, what: stay ? 'stay' : 'go' }
  }),
)

async function openWeb(
  cluster: OpenCluster,
  { mode, leftovers }: { mode: string; leftovers: string },
): Promise<Scene> {
  const scene = await openScene(cluster(), { mode, leftovers })
  await scene.addPods(numbered('web', 3))
  await scene.addService('web')
  return scene
}

export function describeLeftovers(cluster: OpenCluster): void {
  describe.each(POLICIES)('the slices of a Service, in $mode mode with leftovers $leftovers,', (policy) => {
    it.each(TRANSITIONS)(
      `${policy.what} when $sentence, and are right when it comes back`,
      async (change) => {
        const scene = await openWeb(cluster, policy)
        const sliceflow = await scene.start()
        await scene.untilRight()
        const before = snapshotSlices(await scene.slices())
        const looks = sliceflow.outcomes.length

        await change.leave(scene)

        await until(() => sliceflow.outcomes.length).toBeGreaterThan(looks)
        if (policy.stay) expect(snapshotSlices(await scene.slices())).toEqual(before)
        else await until(() => scene.slices()).toEqual([])

        await scene.pods.finish({ namespace: scene.namespace, name: 'web-1' })
        await change.comeBack(scene)
        await scene.untilRight()
        expect(await scene.slices('web')).toHaveLength(1)
      },
    )

    it(`${policy.what} when that happened while Sliceflow was down`, async () => {
      const scene = await openWeb(cluster, policy)
      const first = await scene.start()
      await scene.untilRight()
      await first.stop()
      const before = snapshotSlices(await scene.slices())

      await scene.patchService('web', withoutSelector(scene))
      const second = await scene.start()

      await until(() => second.outcomes.length).toBeGreaterThan(0)
      if (policy.stay) expect(snapshotSlices(await scene.slices())).toEqual(before)
      else await until(() => scene.slices()).toEqual([])
    })

    it('go when the Service is deleted, also after they were left over', async () => {
      const scene = await openWeb(cluster, policy)
      const sliceflow = await scene.start()
      await scene.untilRight()
      const looks = sliceflow.outcomes.length
      await scene.patchService('web', withoutSelector(scene))
      await until(() => sliceflow.outcomes.length).toBeGreaterThan(looks)

      await scene.removeService('web')

      await until(() => scene.slices()).toEqual([])
    })
  })
}
