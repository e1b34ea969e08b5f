import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { portSetKey } from './endpoints/ports.ts'
import { type PlanState, plan, type SlicePlan } from './index.ts'
import { NODES, podArbitrary, podOf, podsArbitrary, serviceArbitrary } from './plan.arbitraries.ts'
import { applied, deepFreeze, endpointsOf, nameOf, writes } from './plan.fixtures.ts'
import type { Endpoint, EndpointSlice, Pod } from './types.ts'

interface World {
  /** After the changes, with the slices from before them. */
  readonly state: PlanState
  /** Every Pod that changed, and some that did not. */
  readonly names: ReadonlySet<string>
  readonly maxEndpointsPerSlice: number
  /** Slices that a part is shown, as flags. */
  readonly isShown: readonly boolean[]
}

const nameOfPod = (pod: Pod): string => pod.metadata?.name ?? ''

/** Topology hints by CPU are dealt out over all endpoints: no part can do that. */
const partlyPlannable = serviceArbitrary.map((service) => ({
  ...service,
  metadata: { ...service.metadata, annotations: {} },
}))

/** Changes of a Pod: it changes in any way, or is no longer selected or there. */
const changeArbitrary = fc.oneof({ weight: 3, arbitrary: podArbitrary }, fc.constant('gone' as const))

/** A Service at rest, of whose Pods some changed and to which some came. */
const worldArbitrary: fc.Arbitrary<World> = fc
  .record({
    service: partlyPlannable,
    before: podsArbitrary,
    changes: fc.dictionary(fc.nat(45).map(String), changeArbitrary, { maxKeys: 6 }),
    others: fc.array(fc.nat(45), { maxLength: 2 }),
    max: fc.integer({ min: 1, max: 12 }),
    isShown: fc.array(fc.boolean(), { minLength: 80, maxLength: 80 }),
  })
  .map(({ service, before, changes, others, max, isShown }) => {
    const options = { maxEndpointsPerSlice: max }
    const slices = applied([], plan({ service, pods: before, nodes: NODES, slices: [] }, options))
    const changed = Object.entries(changes).map(([index, flags]) => ({
      name: `p-${index}`,
      pods: flags === 'gone' ? [] : [podOf(flags, Number(index))],
    }))
    const names = new Set([...changed.map(({ name }) => name), ...others.map((index) => `p-${index}`)])
    const same = before.filter((pod) => !changed.some(({ name }) => name === nameOfPod(pod)))
    const pods = [...same, ...changed.flatMap((change) => change.pods)]
    const state = deepFreeze({ service, pods, nodes: NODES, slices })
    return { state, names, maxEndpointsPerSlice: max, isShown }
  })

function partOf(world: World, slices = world.state.slices): SlicePlan {
  const { state, names, maxEndpointsPerSlice } = world
  const pods = state.pods.filter((pod) => names.has(nameOfPod(pod)))
  return plan({ ...state, slices, pods }, { maxEndpointsPerSlice, onlyPods: names })
}

const shownOf = ({ state, isShown }: World): EndpointSlice[] =>
  state.slices.filter((_, index) => isShown[index])

const wholeOf = ({ state, maxEndpointsPerSlice }: World): SlicePlan => plan(state, { maxEndpointsPerSlice })

const isNamed = ({ names }: World, { targetRef }: Endpoint): boolean => names.has(targetRef?.name ?? '')

/** Lists all that consumers see of the endpoints of the Pods, but for the slices that they are in. */
const publishedOf = (world: World, slices: readonly EndpointSlice[]): string[] =>
  slices
    .flatMap(({ addressType, ports, endpoints }) =>
      (endpoints ?? [])
        .filter((endpoint) => isNamed(world, endpoint))
        .map((endpoint) => `${addressType} ${portSetKey(ports ?? [])} ${JSON.stringify(endpoint)}`),
    )
    .sort()

/** Lists the endpoints of other Pods by slice, in their order. */
const othersOf = (world: World, slices: readonly EndpointSlice[]): Record<string, string> =>
  Object.fromEntries(
    slices
      .map((slice) => [nameOf(slice), (slice.endpoints ?? []).filter((one) => !isNamed(world, one))] as const)
      .filter(([, endpoints]) => endpoints.length > 0)
      .map(([name, endpoints]) => [name, JSON.stringify(endpoints)]),
  )

const check = (predicate: (world: World) => void, numRuns = 200): void =>
  fc.assert(fc.property(worldArbitrary, predicate), { numRuns })

describe('a plan of some Pods, over all slices of a Service at rest', () => {
  it('publishes these Pods as the plan of the whole Service does, and leaves every other endpoint where it is', () => {
    let compared = 0
    check((world) => {
      const { slices } = world.state
      const part = partOf(world)
      const after = applied(slices, part)
      expect(publishedOf(world, after)).toEqual(publishedOf(world, applied(slices, wholeOf(world))))
      expect(othersOf(world, after)).toEqual(othersOf(world, slices))
      for (const { endpoints = [] } of [...part.create, ...part.update]) {
        expect(endpoints.length).toBeGreaterThan(0)
        expect(endpoints.length).toBeLessThanOrEqual(world.maxEndpointsPerSlice)
      }
      const [created, , deleted] = writes(part)
      if (created + deleted === 0) {
        compared++
        expect(writes(wholeOf({ ...world, state: { ...world.state, slices: after } }))).toEqual([0, 0, 0])
      }
      // What is to be written may be changed: the input is frozen.
      for (const endpoint of endpointsOf([...part.create, ...part.update]))
        expect(() =>
          Object.assign(endpoint, { hostname: 'scribble' }).addresses.push('scribble'),
        ).not.toThrow()
    }, 500)
    expect(compared).toBeGreaterThan(30)
  })

  it('writes nothing when nothing has changed', () => {
    check((world) => {
      const slices = applied(world.state.slices, wholeOf(world))
      expect(writes(partOf(world, slices))).toEqual([0, 0, 0])
    })
  })
})

describe('a plan of some Pods, over some of the slices', () => {
  it('touches no other slice, and no endpoint of another Pod, and publishes these Pods in them once', () => {
    check((world) => {
      const shown = shownOf(world)
      const part = partOf(world, shown)
      const names = new Set(shown.map(nameOf))
      for (const slice of [...part.update, ...part.delete]) expect(names).toContain(nameOf(slice))
      const after = applied(shown, part)
      expect(othersOf(world, after)).toEqual(othersOf(world, shown))
      const wanted = publishedOf(world, applied(world.state.slices, wholeOf(world)))
      expect(publishedOf(world, after)).toEqual(wanted)
    })
  })
})
