import fc from 'fast-check'
import type { EndpointSlice, SourceEndpoint } from '../../endpointslice/index.ts'
import { LABEL_SOURCE_CLUSTER } from '../well-known.ts'
import { type ChoiceInput, type Choices, chooseEndpoints, chosenEndpoint } from './choose-endpoints.ts'
import type { FleetPolicy } from './fleet-policy.ts'

/** Makes endpoints with the addresses `10.SUBNET.0.1` and so on. */
export const endpointsOf = (
  subnet: number,
  states: readonly boolean[],
  port = 'http',
): readonly SourceEndpoint[] =>
  states.map((ready, at) => ({
    addresses: [`10.${subnet}.0.${at + 1}`],
    ready,
    serving: ready,
    ports: [{ name: port, port: 8080, protocol: 'TCP' }],
  }))

const PORT_SETS = [['http'], ['http', 'metrics'], ['metrics'], []].map((names) =>
  names.map((name, at) => ({ name, port: 8080 + at, protocol: 'TCP' })),
)

const endpointIn = (subnet: number): fc.Arbitrary<SourceEndpoint> =>
  fc.record({
    addresses: fc
      .integer({ min: 1, max: 6 })
      .chain((number) => fc.constantFrom([`10.${subnet}.0.${number}`], [`fd00::${subnet}:${number}`])),
    ready: fc.boolean(),
    serving: fc.boolean(),
    terminating: fc.boolean(),
    ports: fc.constantFrom(...PORT_SETS),
  })

export const CLUSTERS = ['ap', 'eu', 'us'] as const

export const offersArbitrary: fc.Arbitrary<ChoiceInput['offers']> = fc
  .tuple(...CLUSTERS.map((_, subnet) => fc.array(endpointIn(subnet), { maxLength: 6 })))
  .map((all) => CLUSTERS.map((cluster, at) => ({ cluster, endpoints: all[at] ?? [] })))

export const policyArbitrary: fc.Arbitrary<FleetPolicy> = fc.record(
  {
    own: fc
      .tuple(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 1, max: 100 }))
      .map(([below, more]) => ({ failoverBelow: below, returnAt: Math.min(100, below + more) })),
    weights: fc
      .dictionary(fc.constantFrom(...CLUSTERS), fc.constantFrom(0, 1, 25, 50, 99, 100))
      .map((weights) => new Map(Object.entries(weights))),
  },
  { requiredKeys: ['weights'] },
)

/** Returns the endpoints that a cluster publishes by these choices. */
export const publishedBy = (choices: Choices, offers: ChoiceInput['offers']): ChoiceInput['offers'] =>
  offers.map(({ cluster, endpoints }) => ({
    cluster,
    endpoints: endpoints.flatMap((endpoint) => chosenEndpoint(choices, cluster, endpoint)),
  }))

/** Makes imported slices of endpoints, one of each. */
export const slicesOf = (offers: ChoiceInput['offers']): EndpointSlice[] =>
  offers.flatMap(({ cluster, endpoints }) =>
    endpoints.map(({ addresses, ports = [] }) => ({
      metadata: { labels: { [LABEL_SOURCE_CLUSTER]: cluster } },
      addressType: addresses[0]?.includes(':') ? 'IPv6' : 'IPv4',
      endpoints: [{ addresses: [...addresses] }],
      ports: [...ports],
    })),
  )

/** Makes a cluster that imports by a policy, sync by sync, and remembers nothing but its slices. */
export function importingCluster(policy: FleetPolicy, home = 'eu') {
  let published: EndpointSlice[] = []
  return {
    choose(offers: ChoiceInput['offers'], frozen: ReadonlySet<string> = new Set()): Choices {
      const choices = chooseEndpoints(policy, { home, offers, frozen, published })
      const stay = published.filter(({ metadata }) =>
        frozen.has(metadata?.labels?.[LABEL_SOURCE_CLUSTER] ?? ''),
      )
      published = [...stay, ...slicesOf(publishedBy(choices, offers))]
      return choices
    },
    /** Returns the addresses that are published, by cluster: `us/10.2.0.1`. */
    addresses: (): string[] =>
      published
        .flatMap(({ metadata, endpoints }) =>
          (endpoints ?? []).map(
            ({ addresses }) => `${metadata?.labels?.[LABEL_SOURCE_CLUSTER]}/${addresses[0]}`,
          ),
        )
        .sort(),
  }
}
