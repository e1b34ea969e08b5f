import { describe, expect, it } from 'vitest'
import { ANNOTATION_RELEASE } from '../../shared/changes/index.ts'
import type { EndpointSlice } from '../../shared/endpointslice/index.ts'
import { ENDPOINT_SLICES } from '../../shared/kubernetes/index.ts'
import { heldSince } from '../../shared/reconciler/index.ts'
import { makeSlice, snapshotSlices } from '../support/world/index.ts'
import { numbered, type OpenCluster, openScene, type Scene, until } from './scene.ts'
import { readEvents } from './service-events.ts'

/** Change by which a Service stops being ours, and the change that makes it ours again. */
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

/** Returns the Services of the scene that have an Event about a hold. */
async function readHeld(scene: Scene): Promise<string[]> {
  const held = (await readEvents(scene)).filter(({ reason }) => reason === 'PlanHeld')
  return held.map(({ involvedObject }) => involvedObject?.name ?? '').sort()
}

/** Returns what the slices publish, without the notes on them. */
const publishedBy = (slices: readonly EndpointSlice[]): unknown[] =>
  slices.map(({ metadata, endpoints }) => [metadata?.name, endpoints])

export function describeLeftovers(cluster: OpenCluster): void {
  describe('the slices of a whole cluster', () => {
    const NAMES = numbered('web', 6)

    it('stay when Sliceflow starts in the other mode by mistake, and are kept right when it is set back', async () => {
      const scene = await openScene(cluster(), { mode: 'replace' })
      await scene.addPods(numbered('pod', 3), { labels: { app: 'web' } })
      for (const name of NAMES) await scene.addService(name, { selector: { app: 'web' } })
      const right = await scene.start()
      await scene.untilRight()
      await right.stop()
      const before = publishedBy(await scene.slices())

      const mistaken = await scene.start({ mode: 'custom' })
      await until(() => readHeld(scene)).toEqual(NAMES)
      expect(publishedBy(await scene.slices())).toEqual(before)
      await mistaken.stop()

      await scene.pods.finish({ namespace: scene.namespace, name: 'pod-1' })
      await scene.start()
      await scene.untilRight()
    })

    it('go one Service at a time when the other mode is meant and they are released', async () => {
      const scene = await openScene(cluster(), { mode: 'replace' })
      await scene.addPods(numbered('pod', 3), { labels: { app: 'web' } })
      for (const name of ['web', 'api']) await scene.addService(name, { selector: { app: 'web' } })
      const replacing = await scene.start()
      await scene.untilRight()
      await replacing.stop()
      await scene.start({ mode: 'custom' })
      await until(() => readHeld(scene)).toEqual(['api', 'web'])

      const since = heldSince(await scene.slices('web'), Date.now())
      await scene.patchService('web', { metadata: { annotations: { [ANNOTATION_RELEASE]: since } } })

      await until(() => scene.slices('web')).toEqual([])
      expect(await scene.slices('api')).toHaveLength(1)
    })

    it('stay where their Services are not ours and somebody else made them with our managed-by value', async () => {
      const scene = await openScene(cluster(), { mode: 'custom' })
      for (const service of ['web', 'gone']) {
        const name = `${service}-by-hand`
        const { namespace } = scene
        const endpoints = [{ addresses: ['10.99.0.1'] }]
        const slice = makeSlice({ namespace, name, service, managedBy: 'sliceflow.dev', endpoints })
        await scene.client.create(ENDPOINT_SLICES, slice)
      }
      await scene.addService('web', { selector: null })
      const before = snapshotSlices(await scene.slices())
      const { outcomes } = await scene.start()

      await until(() => outcomes.length).toBe(2)
      expect(snapshotSlices(await scene.slices())).toEqual(before)
    })
  })

  describe.each(POLICIES)('the slices of a Service, in $mode mode with leftovers $leftovers,', (policy) => {
    it.each(TRANSITIONS)(
      `${policy.what} when $sentence, and are right when it comes back`,
      async (change) => {
        const scene = await openWeb(cluster, policy)
        const sliceflow = await scene.start()
        await scene.untilRight()
        const before = snapshotSlices(await scene.slices())
        const syncs = sliceflow.outcomes.length

        await change.leave(scene)

        await until(() => sliceflow.outcomes.length).toBeGreaterThan(syncs)
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
      const syncs = sliceflow.outcomes.length
      await scene.patchService('web', withoutSelector(scene))
      await until(() => sliceflow.outcomes.length).toBeGreaterThan(syncs)

      await scene.removeService('web')

      await until(() => scene.slices()).toEqual([])
    })
  })
}
