import { numbered } from '../../support/test-namespace.ts'
import { makePod } from '../../support/world/index.ts'
import type { Scenario } from '../scenario.ts'
import { openWeb, seconds, type World } from '../world.ts'

const FLIPS = 20
const CRASHES = 100
const PROBED = 20
const HELD_SECONDS = 5

/** Returns the names of the pods that are published as ready. */
async function readyNames(world: World): Promise<string[]> {
  const endpoints = (await world.slices('web')).flatMap((slice) => slice.endpoints ?? [])
  return endpoints
    .filter(({ conditions }) => conditions?.ready === true)
    .map(({ targetRef }) => targetRef?.name ?? '')
}

export const pods: readonly Scenario[] = [
  {
    id: 'failed-pod-published',
    source: 'F3; deckhouse/deckhouse#22686',
    sentence: 'With publishNotReadyAddresses, a pod that is not ready fails: it is not published any longer.',
    async prepare(world) {
      await openWeb(2, { publishNotReadyAddresses: true })(world)
      await world.pods.setReady({ namespace: world.namespace, name: 'web-1' }, false)
      await world.mustBeRight()
      await world.rest()
    },
    act: (world) =>
      world.pods.setStatus({ namespace: world.namespace, name: 'web-1' }, ['10.1.0.0'], {
        ready: false,
        phase: 'Failed',
      }),
    assess: (world) => world.rightInTheEnd(),
  },
  {
    id: 'crashing-job',
    source: 'kubernetes/kubernetes#46776, #110255',
    sentence: `${CRASHES} pods of a crashing Job fail one after another behind one that works: only that one is published.`,
    prepare: openWeb(1),
    async act(world) {
      const { namespace } = world
      const crashed = numbered('crashed', CRASHES)
      await world.addPods(crashed, { labels: { app: 'web' } })
      const fail = (name: string, index: number): Promise<void> =>
        world.pods.setStatus({ namespace, name }, [`10.1.0.${index + 1}`], { ready: false, phase: 'Failed' })
      await Promise.all(crashed.map(fail))
    },
    assess: (world) => world.rightInTheEnd(),
  },
  {
    id: 'flapping',
    source: 'kubernetes/kubernetes#127429, #117193, #125638',
    sentence: `Ten pods become unready and ready ${FLIPS} times as quickly as can be: the last state is published.`,
    prepare: openWeb(10),
    async act({ namespace, pods: fake }) {
      const flap = async (name: string, index: number): Promise<void> => {
        for (let flip = 0; flip < FLIPS + (index % 2); flip++)
          await fake.setReady({ namespace, name }, flip % 2 === 1)
      }
      await Promise.all(numbered('web', 10).map(flap))
    },
    assess: (world) => world.rightInTheEnd(),
  },
  {
    id: 'serving-only',
    source: 'deckhouse/deckhouse#22686',
    sentence:
      'A pod that is being ended becomes unready, so only its condition `serving` changes: it is published.',
    async prepare(world) {
      await openWeb(2)(world)
      await world.pods.terminate({ namespace: world.namespace, name: 'web-1' })
      await world.mustBeRight()
    },
    act: (world) => world.pods.setReady({ namespace: world.namespace, name: 'web-1' }, false),
    assess: (world) => world.rightInTheEnd(),
  },
  {
    id: 'missing-node',
    source: 'kubernetes/kubernetes#107927, #110639',
    sentence: 'One pod is on a node that does not exist: the Service’s other pods are followed all the same.',
    prepare: openWeb(3),
    async act(world) {
      const { namespace } = world
      await world.addPods(['lost'], { labels: { app: 'web' }, nodeName: 'no-such-node' })
      await world.pods.setReady({ namespace, name: 'web-1' }, false)
      await world.pods.finish({ namespace, name: 'web-2' })
    },
    assess: (world) => world.rightInTheEnd(),
  },
  {
    id: 'link-local-pod',
    source: 'kubernetes/kubernetes#103675 (CVE-2021-25740), #107927',
    sentence:
      'One pod says that it has the address of the cloud’s metadata, which the API server takes in no slice, and another one becomes unready: that is published.',
    prepare: openWeb(2),
    async act({ namespace, nodes, pods: fake }) {
      await fake.start(makePod({ namespace, name: 'metadata', nodeName: nodes[0] }), ['10.1.9.9'])
      await fake.setStatus({ namespace, name: 'metadata' }, ['169.254.169.254'])
      await fake.setReady({ namespace, name: 'web-1' }, false)
    },
    async assess(world) {
      const wait = await world.until(async () =>
        (await readyNames(world)).includes('web-1') ? ['web-1 is published as ready'] : [],
      )
      const after = seconds(wait.seconds)
      return wait.isMet
        ? { survived: true, observed: `published after ${after}` }
        : { survived: false, observed: `the unready pod is still published as ready after ${after}` }
    },
  },
  {
    id: 'all-probes-fail',
    source: 'kubernetes-sigs/aws-load-balancer-controller#3711',
    sentence: `All ${PROBED} pods of a Service become unready within a second: at least half of them stay published as ready for ${HELD_SECONDS} s. (Sliceflow with --maximum-removal 0.5.)`,
    flags: { sliceflow: ['--maximum-removal', '0.5'] },
    prepare: openWeb(PROBED),
    async act({ namespace, pods: fake }) {
      await Promise.all(numbered('web', PROBED).map((name) => fake.setReady({ namespace, name }, false)))
    },
    async assess(world) {
      const few = async (): Promise<string[]> =>
        (await readyNames(world)).length < PROBED / 2 ? [] : ['half of them are ready']
      const wait = await world.until(few, HELD_SECONDS)
      const { length } = await readyNames(world)
      return {
        survived: !wait.isMet,
        observed: `${length} of ${PROBED} ready after ${seconds(wait.seconds)}`,
      }
    },
  },
]
