import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { portSetKey } from './endpoints/ports.ts'
import { addressTypesOf, type PlanState, plan } from './index.ts'
import { NODES, podsArbitrary, serviceArbitrary } from './plan.arbitraries.ts'
import { applied, deepFreeze, nameOf, writes } from './plan.fixtures.ts'
import type { EndpointSlice, Pod } from './types.ts'

/** Changes that may have happened to a slice since it was written. */
const tamperingArbitrary = fc.constantFrom<(slice: EndpointSlice) => void>(
  () => {},
  (slice) => slice.endpoints?.pop(),
  (slice) => slice.endpoints?.push(...structuredClone(slice.endpoints.slice(0, 1))),
  (slice) => {
    for (const endpoint of slice.endpoints ?? []) delete endpoint.hints
  },
  (slice) => {
    for (const endpoint of slice.endpoints ?? []) endpoint.hints = { forZones: [{ name: 'zone-gone' }] }
  },
  (slice) => {
    if (slice.metadata) slice.metadata.labels = { stray: 'label' }
  },
  (slice) => {
    if (slice.metadata) slice.metadata.ownerReferences = []
  },
  (slice) => {
    if (slice.ports?.[0]) slice.ports[0].port = 1
  },
)

interface World {
  readonly state: PlanState
  readonly maxEndpointsPerSlice: number
  readonly packing: 'upstream' | 'compact'
}

/** A Service that was published as `before` with another maximum, whose slices were then tampered with. */
const worldArbitrary: fc.Arbitrary<World> = fc
  .record({
    service: serviceArbitrary,
    past: serviceArbitrary,
    pods: podsArbitrary,
    before: podsArbitrary,
    max: fc.integer({ min: 1, max: 12 }),
    pastMax: fc.integer({ min: 1, max: 12 }),
    packing: fc.constantFrom('upstream' as const, 'compact' as const),
    tampering: fc.array(tamperingArbitrary, { maxLength: 6 }),
  })
  .map(({ service, past, pods, before, max, pastMax, packing, tampering }) => {
    const options = { maxEndpointsPerSlice: pastMax }
    const slices = applied([], plan({ service: past, pods: before, nodes: NODES, slices: [] }, options))
    for (const [index, tamper] of tampering.entries()) {
      const slice = slices[index]
      if (slice !== undefined) tamper(slice)
    }
    return { state: deepFreeze({ service, pods, nodes: NODES, slices }), maxEndpointsPerSlice: max, packing }
  })

/** Lists `address type, pod` of every endpoint. */
const placesOf = (slices: readonly EndpointSlice[]): string[] =>
  slices.flatMap(({ addressType, endpoints }) =>
    (endpoints ?? []).map(({ targetRef }) => `${addressType} ${targetRef?.name}`),
  )

function eligible({ service, pods }: PlanState): string[] {
  const types = addressTypesOf(service)
  const anyNode = service.spec?.publishNotReadyAddresses === true
  return pods
    .filter(({ status, spec }) => status?.phase === 'Running' && (anyNode || spec?.nodeName !== 'node-6'))
    .flatMap(({ metadata, status }) =>
      (status?.podIPs ?? []).map(({ ip }) => ({
        type: ip.includes(':') ? 'IPv6' : 'IPv4',
        name: metadata?.name,
      })),
    )
    .filter(({ type }) => types.some((wanted) => wanted === type))
    .map(({ type, name }) => `${type} ${name}`)
}

describe('whatever the state is, after the plan', () => {
  const check = (predicate: (world: World) => void, numRuns = 300): void =>
    fc.assert(fc.property(worldArbitrary, predicate), { numRuns })

  it('each eligible pod stands once, in a slice of its family and ports below the maximum, and the next plan is empty', () => {
    check(({ state, maxEndpointsPerSlice, packing }) => {
      const options = { maxEndpointsPerSlice, packing }
      const planned = plan(state, options)
      const slices = applied(state.slices, planned)
      expect(placesOf(slices).sort()).toEqual(eligible(state).sort())
      const types = new Set(slices.map(({ addressType }) => addressType))
      expect([...types].sort()).toEqual(addressTypesOf(state.service).sort())
      expect(new Set(slices.map(nameOf)).size).toBe(slices.length)

      const before = new Map(state.slices.map((slice) => [nameOf(slice), slice]))
      const portOf = new Map(
        state.pods.map(({ metadata, spec }) => [
          metadata?.name,
          spec?.containers[0]?.ports?.[0]?.containerPort,
        ]),
      )
      for (const slice of slices) {
        const { addressType, ports, endpoints = [] } = slice
        const old = before.get(nameOf(slice))
        expect(addressType).toBe(old?.addressType ?? addressType)
        const allowed = Math.max(maxEndpointsPerSlice, old?.endpoints?.length ?? 0)
        expect(endpoints.length).toBeLessThanOrEqual(allowed)
        const http = ports?.find(({ name }) => name === 'http')?.port
        for (const { targetRef } of endpoints) expect(portOf.get(targetRef?.name)).toBe(http)
      }

      const next = plan({ ...state, slices }, options)
      expect(writes(next)).toEqual([0, 0, 0])
      expect(next.events.filter(({ type }) => type === 'Normal')).toEqual([])
      // What is to be written may be changed: the input is frozen.
      for (const slice of [...planned.create, ...planned.update]) expect(() => scribble(slice)).not.toThrow()
    }, 1500)
  })

  it('the plan was the same for pods and nodes in any order', () => {
    const shuffled = worldArbitrary.chain((world) =>
      fc.record({
        world: fc.constant(world),
        pods: fc.shuffledSubarray([...world.state.pods], { minLength: world.state.pods.length }),
        nodes: fc.shuffledSubarray([...NODES], { minLength: NODES.length }),
      }),
    )
    fc.assert(
      fc.property(shuffled, ({ world: { state, maxEndpointsPerSlice, packing }, pods, nodes }) => {
        const options = { maxEndpointsPerSlice, packing }
        expect(plan({ ...state, pods, nodes }, options)).toEqual(plan(state, options))
      }),
    )
  })

  it('names of new slices do not depend on the pods', () => {
    check(({ state, maxEndpointsPerSlice }) => {
      const more = [
        ...state.pods,
        ...state.pods.map((pod) => ({
          ...pod,
          metadata: { ...pod.metadata, name: `${pod.metadata?.name}-x` },
        })),
      ]
      const namesOf = (pods: readonly Pod[]) => {
        const byPorts = new Map<string, string[]>()
        for (const slice of plan({ ...state, pods, slices: [] }, { maxEndpointsPerSlice }).create) {
          const key = `${slice.addressType} ${portSetKey(slice.ports ?? [])}`
          byPorts.set(key, [...(byPorts.get(key) ?? []), nameOf(slice)])
        }
        return byPorts
      }
      const withMore = namesOf(more)
      for (const [key, names] of namesOf(state.pods))
        expect(withMore.get(key)?.slice(0, names.length)).toEqual(names)
    })
  })
})

/** Changes every part of an object; throws on a frozen one. */
function scribble(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const part of Object.values(value)) scribble(part)
  if (Array.isArray(value)) value.push('scribble')
  else (value as Record<string, unknown>).scribble = true
}
