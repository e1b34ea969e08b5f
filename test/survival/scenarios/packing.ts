import { numbered } from '../../support/test-namespace.ts'
import type { Scenario } from '../scenario.ts'
import { openWeb, type SliceWrites, seconds, type World } from '../world.ts'

const PODS = 600
/** Every tenth pod stays. */
const KEPT = PODS / 10
/** Time by which a controller that merges slices has done it. */
const MERGED_SECONDS = 15
const COMPACT = { sliceflow: ['--packing', 'compact'] }

async function deleteMost({ namespace, pods }: World): Promise<void> {
  const gone = numbered('web', PODS).filter((_, index) => index % 10 !== 0)
  await Promise.all(gone.map((name) => pods.finish({ namespace, name })))
}

const sizesOf = async (world: World): Promise<number[]> =>
  (await world.slices('web')).map(({ endpoints }) => endpoints?.length ?? 0).toSorted((a, b) => b - a)

export const packing: readonly Scenario[] = [
  {
    id: 'scale-down',
    source: 'F5; kubernetes/kubernetes#81048, aws/amazon-network-policy-controller-k8s#51',
    sentence: `Of ${PODS} pods 90 % are deleted, evenly: the rest is in one slice. (Sliceflow with --packing compact.)`,
    alone: true,
    flags: COMPACT,
    prepare: openWeb(PODS),
    act: deleteMost,
    async assess(world) {
      const wait = await world.until(
        async () => ((await sizesOf(world)).length === 1 ? world.differences() : ['several slices']),
        MERGED_SECONDS,
      )
      const sizes = await sizesOf(world)
      return {
        survived: wait.isMet,
        observed: `${sizes.length} slices for ${KEPT} endpoints [${sizes.join(', ')}] after ${seconds(wait.seconds)}`,
      }
    },
  },
  burst(),
]

/** Fills slices up while pods come, and empties them while pods go. */
function burst(): Scenario {
  const counted = new WeakMap<World, { writes: SliceWrites; filled: number[] }>()
  return {
    id: 'burst',
    source: 'F7; kubernetes/kubernetes#24553, #26637',
    sentence: `${PODS} pods of a Service come within seconds, and 90 % go again: 6 slices, then one. (Sliceflow with --packing compact.)`,
    alone: true,
    flags: COMPACT,
    prepare: async (world) => {
      await world.addService('web')
      await world.mustBeRight()
    },
    async act(world) {
      const writes = await world.countWrites()
      await world.addPods(numbered('web', PODS))
      await world.untilRight()
      counted.set(world, { writes, filled: await sizesOf(world) })
      await deleteMost(world)
    },
    async assess(world) {
      await world.until(
        async () => ((await sizesOf(world)).length === 1 ? world.differences() : ['several slices']),
        MERGED_SECONDS,
      )
      const { writes, filled } = counted.get(world) ?? { writes: undefined, filled: [] }
      const sum = (writes?.created ?? 0) + (writes?.updated ?? 0) + (writes?.deleted ?? 0)
      const left = await sizesOf(world)
      return {
        survived: filled.length === PODS / 100 && left.length === 1,
        observed: `${filled.length} slices [${filled.join(', ')}], then ${left.length} [${left.join(', ')}], ${sum} writes`,
      }
    },
  }
}
