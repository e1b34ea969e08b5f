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
const three = applied(
  [],
  plan({ service, pods: podsNumbered(9), nodes: NODES, slices: [] }, { maxEndpointsPerSlice: 3 }),
)
/** One of the nine is gone, and four came: a slice is filled, and a new one is begun. */
const PODS = [...podsNumbered(8, 1), ...podsNumbered(4, 100)]

function planned(merges: readonly Merge[]): { result: SlicePlan; asked: (readonly PackedSlice[])[] } {
  const asked: (readonly PackedSlice[])[] = []
  const packing = (slices: readonly PackedSlice[]): readonly Merge[] => {
    asked.push(slices)
    return merges
  }
  const state = deepFreeze({ service, pods: PODS, nodes: NODES, slices: three })
  return { result: plan(state, { maxEndpointsPerSlice: 4, packing }), asked }
}
const all = PODS.map(({ metadata }) => metadata?.name ?? '').sort()

describe('a packing policy', () => {
  it('sees each slice with its size and what is done with it anyway', () => {
    expect(planned([]).asked).toEqual([
      [
        { write: 'none', size: 3 },
        { write: 'none', size: 3 },
        { write: 'update', size: 4 },
        { write: 'create', size: 2 },
      ],
    ])
  })

  it('leaves the plan as it is where it merges nothing', () => {
    const upstream = plan({ service, pods: PODS, nodes: NODES, slices: three }, { maxEndpointsPerSlice: 4 })
    expect(planned([]).result).toEqual(upstream)
  })

  it('gives up a slice before it is created, and those that take its endpoints are written', () => {
    const into = [
      { slice: 0, count: 1 },
      { slice: 1, count: 1 },
    ]
    const { result } = planned([{ from: 3, into }])
    expect(writes(result)).toEqual([0, 3, 0])
    expect(sizes(applied(three, result))).toEqual([4, 4, 4])
    expect(podNames(applied(three, result))).toEqual(all)
    expect(result.update.map(({ metadata }) => metadata?.labels)).toEqual(
      three.map(({ metadata }) => metadata?.labels),
    )
  })

  it('gives up a slice that is there, which is deleted, for one that is created and one that was left alone', () => {
    const into = [
      { slice: 3, count: 2 },
      { slice: 1, count: 1 },
    ]
    const { result } = planned([{ from: 0, into }])
    const after = applied(three, result)
    expect(sizes(after)).toEqual([4, 4, 4])
    expect(podNames(after)).toEqual(all)
    expect(after).toHaveLength(3)
  })
})
