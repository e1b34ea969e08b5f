import { describe, expect, it } from 'vitest'
import { type Merge, type PackedSlice, plan, type SlicePlan } from '../index.ts'
import {
  applied,
  aService,
  deepFreeze,
  NODES,
  podNames,
  podsNumbered,
  sizes,
  writes,
} from '../plan.fixtures.ts'

const service = aService()
const four = applied(
  [],
  plan({ service, pods: podsNumbered(12), nodes: NODES, slices: [] }, { maxEndpointsPerSlice: 3 }),
)
/** One of the twelve is gone, and four came: a slice is filled, and a new one is begun. */
const PODS = [...podsNumbered(11, 1), ...podsNumbered(4, 100)]

function planned(merges: readonly Merge[]): { result: SlicePlan; asked: (readonly PackedSlice[])[] } {
  const asked: (readonly PackedSlice[])[] = []
  const packing = (slices: readonly PackedSlice[]): readonly Merge[] => {
    asked.push(slices)
    return merges
  }
  const state = deepFreeze({ service, pods: PODS, nodes: NODES, slices: four })
  return { result: plan(state, { maxEndpointsPerSlice: 4, packing }), asked }
}
const all = PODS.map(({ metadata }) => metadata?.name ?? '').sort()

describe('a packing policy', () => {
  it('sees each slice with its size and what is done with it anyway', () => {
    expect(planned([]).asked).toEqual([
      [
        { write: 'none', size: 3 },
        { write: 'none', size: 3 },
        { write: 'none', size: 3 },
        { write: 'update', size: 4 },
        { write: 'create', size: 2 },
      ],
    ])
  })

  it('leaves the plan as it is where it merges nothing', () => {
    const upstream = plan({ service, pods: PODS, nodes: NODES, slices: four }, { maxEndpointsPerSlice: 4 })
    expect(planned([]).result).toEqual(upstream)
  })

  it('gives up a slice before it is created, and those that take its endpoints are written', () => {
    const into = [
      { slice: 0, count: 1 },
      { slice: 1, count: 1 },
    ]
    const { result } = planned([{ from: 4, into }])
    expect(writes(result)).toEqual([0, 3, 0])
    expect(sizes(applied(four, result))).toEqual([4, 4, 4, 3])
    expect(podNames(applied(four, result))).toEqual(all)
    for (const { metadata } of result.update) expect(metadata?.labels).toEqual(four[0]?.metadata?.labels)
    expect(result.stats).toMatchObject({ slicesActual: 4 })
  })

  it('gives up a slice that is there, which is deleted, for one that is created and one that was left alone', () => {
    const into = [
      { slice: 4, count: 2 },
      { slice: 1, count: 1 },
    ]
    const { result } = planned([{ from: 0, into }])
    const after = applied(four, result)
    expect(sizes(after)).toEqual([4, 4, 4, 3])
    expect(podNames(after)).toEqual(all)
    expect(result.stats).toMatchObject({ slicesActual: 4 })
  })
})
