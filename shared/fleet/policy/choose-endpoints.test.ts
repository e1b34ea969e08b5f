import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EndpointSlice } from '../../endpointslice/index.ts'
import { chooseEndpoints } from './choose-endpoints.ts'
import type { FleetPolicy } from './fleet-policy.ts'
import {
  CLUSTERS,
  endpointsOf,
  importingCluster,
  offersArbitrary,
  policyArbitrary,
  publishedBy,
  slicesOf,
} from './policy.arbitraries.ts'

const NONE: ReadonlySet<string> = new Set()
const prefersOwn = (failoverBelow: number, returnAt: number): FleetPolicy => ({
  own: { failoverBelow, returnAt },
  weights: new Map(),
})
const weighted = (weights: Record<string, number>, policy: Partial<FleetPolicy> = {}): FleetPolicy => ({
  ...policy,
  weights: new Map(Object.entries(weights)),
})

/** Makes the offers of two clusters with so many ready endpoints of so many. */
const offersOf = (eu: readonly [ready: number, all: number], us: readonly [ready: number, all: number]) =>
  [eu, us].map(([ready, all], at) => ({
    cluster: at === 0 ? 'eu' : 'us',
    endpoints: endpointsOf(
      at + 1,
      Array.from({ length: all }, (_, number) => number < ready),
    ),
  }))

describe('a cluster that prefers its own endpoints', () => {
  it('publishes them alone, fails over below the one threshold, and is back at the other', () => {
    const eu = importingCluster(prefersOwn(50, 75))
    const counts = (ready: number): [own: number, others: number] => {
      eu.choose(offersOf([ready, 4], [2, 2]))
      const own = eu.addresses().filter((each) => each.startsWith('eu/')).length
      return [own, eu.addresses().length - own]
    }
    expect(counts(4)).toEqual([4, 0])
    expect(counts(2)).toEqual([4, 0])
    expect(counts(1)).toEqual([4, 2])
    expect(counts(2)).toEqual([4, 2])
    expect(counts(3)).toEqual([4, 0])
    expect(counts(2)).toEqual([4, 0])
    expect(counts(0)).toEqual([4, 2])
  })

  it('never changes sides by events between the thresholds, whatever their order', () => {
    const band = fc.integer({ min: 30, max: 59 })
    fc.assert(
      fc.property(fc.boolean(), fc.array(band, { minLength: 1, maxLength: 30 }), (isFailedOver, events) => {
        const eu = importingCluster(prefersOwn(30, 60))
        eu.choose(offersOf([isFailedOver ? 29 : 60, 100], [3, 3]))
        const before = eu.addresses()
        expect(before.some((each) => each.startsWith('us/'))).toBe(isFailedOver)
        for (const ready of events) {
          eu.choose(offersOf([ready, 100], [3, 3]))
          expect(eu.addresses()).toEqual(before)
        }
      }),
    )
  })

  it('has them count where they are terminating only as long as they are ready', () => {
    const eu = importingCluster(prefersOwn(50, 75))
    const ending = endpointsOf(1, [true, false, false]).map((endpoint, at) => ({
      ...endpoint,
      terminating: at > 0,
    }))
    eu.choose([{ cluster: 'eu', endpoints: ending }, ...offersOf([0, 0], [1, 1]).slice(1)])
    expect(eu.addresses()).toEqual(['eu/10.1.0.1', 'eu/10.1.0.2', 'eu/10.1.0.3'])
  })

  it('judges each port by itself: one that is not its own comes from the others', () => {
    const policy = prefersOwn(50, 75)
    const offers = [
      { cluster: 'eu', endpoints: endpointsOf(1, [true]) },
      {
        cluster: 'us',
        endpoints: endpointsOf(2, [true]).map((endpoint) => ({
          ...endpoint,
          ports: [...(endpoint.ports ?? []), { name: 'metrics', port: 9090, protocol: 'TCP' }],
        })),
      },
    ]
    const choices = chooseEndpoints(policy, { home: 'eu', offers, frozen: NONE, published: [] })
    const [, us] = publishedBy(choices, offers)
    expect(us?.endpoints.map(({ ports }) => ports?.map(({ name }) => name))).toEqual([['metrics']])
  })

  it('stays as it is while nobody can say how they are', () => {
    const eu = importingCluster(prefersOwn(50, 75))
    eu.choose(offersOf([4, 4], [2, 2]))
    const before = eu.addresses()
    eu.choose(offersOf([0, 0], [2, 2]).slice(1), new Set(['eu']))
    expect(eu.addresses()).toEqual(before)
    eu.choose(offersOf([1, 4], [2, 2]))
    expect(eu.addresses()).toHaveLength(6)
    eu.choose(offersOf([0, 0], [2, 2]).slice(1), new Set(['eu']))
    expect(eu.addresses()).toHaveLength(6)
  })

  it('takes endpoints of a cluster that does not answer for no sign of a failover', () => {
    const eu = importingCluster(prefersOwn(50, 75))
    eu.choose(offersOf([1, 4], [2, 2]))
    const lost = new Set(['us'])
    const [own] = offersOf([4, 4], [2, 2])
    const [fewer] = offersOf([2, 4], [2, 2])
    if (own === undefined || fewer === undefined) throw new Error('eu offers nothing')
    eu.choose([own], lost)
    const [choice] = [...eu.choose([fewer], lost).values()]
    expect(choice?.own).toMatchObject({ ready: 2, isFailedOver: false })
    eu.choose(offersOf([2, 4], [2, 2]))
    expect(eu.addresses().filter((each) => each.startsWith('us/'))).toHaveLength(2)
  })

  it('publishes all of them beside shares of the others', () => {
    const eu = importingCluster(weighted({ eu: 50, us: 50 }, { own: { failoverBelow: 50, returnAt: 75 } }))
    eu.choose(offersOf([1, 4], [4, 4]))
    expect(eu.addresses().filter((each) => each.startsWith('eu/'))).toHaveLength(4)
    expect(eu.addresses().filter((each) => each.startsWith('us/'))).toHaveLength(2)
  })

  it('does not where its own weight is 0', () => {
    const eu = importingCluster(weighted({ eu: 0 }, { own: { failoverBelow: 50, returnAt: 75 } }))
    eu.choose(offersOf([4, 4], [1, 1]))
    expect(eu.addresses()).toEqual(['us/10.2.0.1'])
  })
})

describe('weights of clusters', () => {
  it('leave the endpoints of the other clusters as they are when one cluster changes', () => {
    const above0 = policyArbitrary.map(({ weights }) => ({
      weights: new Map([...weights].map(([cluster, weight]) => [cluster, weight || 1])),
    }))
    fc.assert(
      fc.property(above0, offersArbitrary, offersArbitrary, (policy, offers, others) => {
        const changed = offers.map((offer, at) => (at === 0 ? (others[0] ?? offer) : offer))
        const [before, after] = [offers, changed].map((all) => {
          const choices = chooseEndpoints(policy, { home: 'za', offers: all, frozen: NONE, published: [] })
          return publishedBy(choices, all).slice(1)
        })
        expect(after).toEqual(before)
      }),
    )
  })

  it('of 0 count no more where no other cluster has a ready endpoint', () => {
    const ap = importingCluster(weighted({ us: 0 }), 'ap')
    ap.choose(offersOf([1, 1], [1, 1]))
    expect(ap.addresses()).toEqual(['eu/10.1.0.1'])
    ap.choose(offersOf([0, 1], [1, 1]))
    expect(ap.addresses()).toEqual(['eu/10.1.0.1', 'us/10.2.0.1'])
    ap.choose(offersOf([1, 1], [1, 1]))
    expect(ap.addresses()).toEqual(['eu/10.1.0.1'])
  })
})

describe('whatever a policy says', () => {
  const home = fc.constantFrom(...CLUSTERS, 'za')
  const published = offersArbitrary.map(slicesOf)

  it('a port has a ready endpoint wherever any cluster has one', () => {
    fc.assert(
      fc.property(policyArbitrary, offersArbitrary, home, published, (policy, offers, home, published) => {
        const choices = chooseEndpoints(policy, { home, offers, frozen: NONE, published })
        const readyPorts = (all: typeof offers): Set<string> =>
          new Set(
            all
              .flatMap(({ endpoints }) => endpoints)
              .filter(({ ready }) => ready)
              .flatMap(({ addresses, ports = [] }) =>
                (ports.length === 0 ? [{ name: '' }] : ports).map(
                  ({ name }) => `${addresses[0]?.includes(':')} ${name}`,
                ),
              ),
          )
        expect(readyPorts(publishedBy(choices, offers))).toEqual(readyPorts(offers))
      }),
    )
  })

  it('a second sync of what the first has published changes nothing', () => {
    fc.assert(
      fc.property(policyArbitrary, offersArbitrary, home, published, (policy, offers, home, published) => {
        const choose = (slices: readonly EndpointSlice[]) =>
          publishedBy(chooseEndpoints(policy, { home, offers, frozen: NONE, published: slices }), offers)
        const first = choose(published)
        expect(choose(slicesOf(first))).toEqual(first)
      }),
    )
  })

  it('the order in which clusters and endpoints are given changes nothing', () => {
    fc.assert(
      fc.property(policyArbitrary, offersArbitrary, home, published, (policy, offers, home, published) => {
        const reversed = [...offers]
          .reverse()
          .map(({ cluster, endpoints }) => ({ cluster, endpoints: [...endpoints].reverse() }))
        const addressesOf = (all: typeof offers): string[] => {
          const choices = chooseEndpoints(policy, { home, offers: all, frozen: NONE, published })
          return publishedBy(choices, all)
            .flatMap(({ cluster, endpoints }) =>
              endpoints.map((each) => `${cluster} ${JSON.stringify(each)}`),
            )
            .sort()
        }
        expect(addressesOf(reversed)).toEqual(addressesOf(offers))
      }),
    )
  })
})
