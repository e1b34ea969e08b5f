import type { EndpointSlice } from '../../../shared/endpointslice/index.ts'
import { numbered } from '../../support/test-namespace.ts'
import { makePod } from '../../support/world/index.ts'
import type { Scenario, Verdict } from '../scenario.ts'
import { openWeb, seconds, type World } from '../world.ts'

const ROUNDS = 10
const MANY_PODS = 200
const LONGEST = 63
/**
 * Flags to delete leftovers. By default, leftovers of Services that lose their selector stay in this
 * mode, as the in-tree controller keeps them.
 */
const DELETE_LEFTOVERS = { sliceflow: ['--leftovers', 'delete'] }

/** Address of the first pod, which ends after its Service has changed. */
const DEAD_ADDRESS = '10.1.0.0'

/**
 * Watches are in order: a controller that has seen a Service made now has seen how the other one changed
 * before.
 */
async function endFirstPod(world: World): Promise<void> {
  await world.untilAtWork()
  await world.rest()
  await world.pods.finish({ namespace: world.namespace, name: 'web-1' })
}

/** Checks that no traffic goes to the dead pod: no slice of the Service shows its address as ready. */
async function deadPodIsOut(world: World): Promise<Verdict> {
  const publishes = ({ endpoints }: EndpointSlice): boolean =>
    endpoints?.some(
      ({ addresses, conditions }) => conditions?.ready !== false && addresses.includes(DEAD_ADDRESS),
    ) === true
  const wait = await world.until(async () =>
    (await world.slices('web')).filter(publishes).map(({ metadata }) => `${metadata?.name} publishes it`),
  )
  const { length } = await world.slices('web')
  const after = seconds(wait.seconds)
  return wait.isMet
    ? { survived: true, observed: `out after ${after}, ${length} slices left` }
    : { survived: false, observed: `the dead pod is still published, as ready, after ${after}` }
}

export const services: readonly Scenario[] = [
  {
    id: 'selector-removed',
    source: 'F4; kubernetes/kubernetes#118376, #103576, #123471',
    sentence:
      'The selector of a Service is removed and one of its pods ends: the dead pod is not published any longer. (Sliceflow with --leftovers delete.)',
    flags: DELETE_LEFTOVERS,
    prepare: openWeb(),
    async act(world) {
      await world.patchService('web', { spec: { selector: null } })
      await endFirstPod(world)
    },
    assess: deadPodIsOut,
  },
  {
    id: 'external-name',
    source: 'F4; kubernetes/kubernetes#91072, #103804',
    sentence:
      'A Service becomes an ExternalName and one of its pods ends: the dead pod is not published any longer. (Sliceflow with --leftovers delete.)',
    flags: DELETE_LEFTOVERS,
    prepare: openWeb(),
    async act(world) {
      const spec = { type: 'ExternalName', externalName: 'example.org', clusterIP: null, clusterIPs: null }
      await world.patchService('web', { spec })
      await endFirstPod(world)
    },
    assess: deadPodIsOut,
  },
  {
    id: 'selector-comes-back',
    source: 'kubernetes/kubernetes#105987',
    sentence:
      'The selector of a Service is removed, pods change, and it comes back: the slices are right, none is left over.',
    prepare: openWeb(),
    async act(world) {
      await world.patchService('web', { spec: { selector: null } })
      await endFirstPod(world)
      await world.addPods(['web-4'])
      await world.patchService('web', { spec: { selector: { app: 'web' } } })
    },
    assess: (world) => world.rightInTheEnd(),
  },
  {
    id: 'recreated-with-pods',
    source: 'kubernetes/kubernetes#141592, #127370',
    sentence: `A Service and its ${MANY_PODS} pods are deleted and made again three times, quickly: its slices come back.`,
    prepare: openWeb(MANY_PODS),
    async act(world) {
      const { namespace, pods } = world
      const names = numbered('web', MANY_PODS)
      for (let round = 0; round < 3; round++) {
        await Promise.all([
          world.removeService('web'),
          ...names.map((name) => pods.finish({ namespace, name })),
        ])
        await Promise.all([world.addService('web'), world.addPods(names)])
      }
    },
    assess: (world) => world.rightInTheEnd(),
  },
  {
    id: 'recreated-often',
    source: 'kubernetes/kubernetes#47711',
    sentence: `Ten Services are deleted and made again ${ROUNDS} times without a pause: each has its endpoints in the end.`,
    async prepare(world) {
      await world.addPods(numbered('web', 3))
      for (const name of numbered('web', 10)) await world.addService(name, { selector: { app: 'web' } })
      await world.mustBeRight()
    },
    async act(world) {
      const recreate = async (name: string): Promise<void> => {
        for (let round = 0; round < ROUNDS; round++) {
          await world.removeService(name)
          await world.addService(name, { selector: { app: 'web' } })
        }
      }
      await Promise.all(numbered('web', 10).map(recreate))
    },
    assess: (world) => world.rightInTheEnd(),
  },
  {
    id: 'families',
    source: 'kubernetes/kubernetes#94505, #121631',
    sentence:
      'A Service becomes dual-stack and single-stack again: the slices of the second family come and go.',
    async prepare(world) {
      const { namespace, nodes, pods } = world
      const start = (name: string, index: number): Promise<void> => {
        const pod = makePod({ namespace, name, nodeName: nodes[0] })
        return pods.start(pod, [`10.1.0.${index}`, `fd00:10:1::${index + 1}`])
      }
      await Promise.all(numbered('web', 3).map(start))
      await world.addService('web')
      await world.mustBeRight()
    },
    async act(world) {
      await world.patchService('web', { spec: { ipFamilyPolicy: 'RequireDualStack' } })
      await world.until(async () => ((await world.slices('web')).length === 2 ? [] : ['one family']))
      await world.mustBeRight()
      const single = { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4'] }
      await world.patchService('web', { spec: single })
    },
    assess: (world) => world.rightInTheEnd(),
  },
  {
    id: 'long-names',
    source: 'kubernetes/kubernetes#84388, k8ssandra/k8ssandra-operator#1690, submariner-io/lighthouse#593',
    sentence: `A Service’s name and a label of it have ${LONGEST} characters: its slices are made.`,
    prepare: (world) => world.addPods(numbered('web', 2)),
    act: (world) =>
      world.addService('w'.repeat(LONGEST), {
        selector: { app: 'web' },
        labels: { ['l'.repeat(LONGEST)]: 'v'.repeat(LONGEST) },
      }),
    assess: (world) => world.rightInTheEnd(),
  },
]
