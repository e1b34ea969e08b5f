import { describe, expect, it } from 'vitest'
import {
  ANNOTATION_TOPOLOGY_MODE,
  ANNOTATION_TRIGGER_TIME,
  type Endpoint,
  type EndpointSlice,
  type Service,
} from '../../../index.ts'
import type { Outcome, TestCase } from '../test-case.ts'
import { compare } from './compare.ts'

const NOTHING_WRITTEN: Outcome = { create: [], update: [], delete: [], events: [], error: '' }

const endpoint = (address: string, changed: Partial<Endpoint> = {}): Endpoint => ({
  addresses: [address],
  conditions: { ready: true, serving: true, terminating: false },
  ...changed,
})

const hinted = (address: string, zone: string): Endpoint =>
  endpoint(address, { hints: { forZones: [{ name: zone }] } })

function slice(name: string, endpoints: Endpoint[], metadata: EndpointSlice['metadata'] = {}): EndpointSlice {
  return {
    metadata: { name, namespace: 'shop', labels: { app: 'web' }, ...metadata },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
    endpoints,
  }
}

const unnamed = (made: EndpointSlice): EndpointSlice => ({
  ...made,
  metadata: { ...made.metadata, name: undefined as never, generateName: 'web-' },
})

function caseOf(slices: EndpointSlice[], service: Service['metadata'] = {}): TestCase {
  return {
    id: 'test',
    service: { metadata: { name: 'web', namespace: 'shop', ...service }, spec: {} },
    pods: [],
    nodes: [],
    slices,
    maxEndpointsPerSlice: 2,
    controllerName: 'sliceflow.dev',
  }
}

const aspects = (testCase: TestCase, ours: Partial<Outcome>, ...upstream: Partial<Outcome>[]): string[] =>
  compare(
    testCase,
    { ...NOTHING_WRITTEN, ...ours },
    upstream.map((outcome) => ({ ...NOTHING_WRITTEN, ...outcome })),
  ).map(({ aspect }) => aspect)

describe('the comparison of a plan with upstream', () => {
  const [a, b, c] = [endpoint('10.0.0.1'), endpoint('10.0.0.2'), endpoint('10.0.0.3')]

  it('takes a new slice for the same whatever its name and the order of its endpoints', () => {
    const ours = { create: [slice('web-x', [a, b])] }
    const theirs = { create: [unnamed(slice('', [b, a]))] }
    expect(aspects(caseOf([]), ours, theirs)).toEqual([])
  })

  it('takes endpoints that swapped places between slices of the same ports for the same', () => {
    const before = [slice('one', []), slice('two', [])]
    const ours = { update: [slice('one', [a]), slice('two', [b])] }
    const theirs = { update: [slice('one', [b]), slice('two', [a])] }
    expect(aspects(caseOf(before), ours, theirs)).toEqual([])
  })

  it('accepts any one of the outcomes that upstream had', () => {
    const before = [slice('one', [a]), slice('two', [b])]
    const intoOne = { update: [slice('one', [a, c])] }
    const intoTwo = { update: [slice('two', [b, c])] }
    expect(aspects(caseOf(before), intoTwo, intoOne, intoTwo)).toEqual([])
    expect(aspects(caseOf(before), intoTwo, intoOne)).toEqual(['slices'])
  })

  it.each<[string, Partial<Endpoint>]>([
    ['condition', { conditions: { ready: true, serving: false, terminating: false } }],
    ['zone', { zone: 'b' }],
    ['node', { nodeName: 'n1' }],
    ['hint', { hints: { forZones: [{ name: 'b' }] } }],
    ['targetRef', { targetRef: { kind: 'Pod', name: 'other' } }],
    ['hostname', { hostname: 'h' }],
    ['address', { addresses: ['10.0.0.7'] }],
  ])('sees another %s', (_, changed) => {
    const ours = { create: [slice('web-x', [endpoint('10.0.0.1', changed)])] }
    const theirs = { create: [slice('', [a])] }
    expect(aspects(caseOf([]), ours, theirs)).toEqual(['endpoints'])
  })

  it('sees a missing endpoint, and one too many', () => {
    const [few, many] = [{ create: [slice('', [a])] }, { create: [slice('', [a, a])] }]
    expect(aspects(caseOf([]), few, many)).toContain('endpoints')
    expect(aspects(caseOf([]), many, few)).toContain('endpoints')
  })

  it.each<[string, EndpointSlice['metadata']]>([
    ['label', { labels: { app: 'other' } }],
    ['owner', { ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name: 'web', uid: 'other' }] }],
    ['trigger time', { annotations: { [ANNOTATION_TRIGGER_TIME]: '2026-03-01T12:00:00Z' } }],
    ['finalizer', { finalizers: ['example.org/hold'] }],
  ])('sees another %s of a slice', (_, metadata) => {
    const ours = { create: [slice('web-x', [a], metadata)] }
    expect(aspects(caseOf([]), ours, { create: [slice('', [a])] })).toEqual(['slices'])
  })

  it('sees another packing of the same endpoints', () => {
    const together = { create: [slice('', [a, b])] }
    const apart = { create: [slice('', [a]), slice('', [b])] }
    expect(aspects(caseOf([]), apart, together)).toEqual(['slices', 'writes'])
  })

  it('sees a slice that was deleted, and one that was not', () => {
    const before = [slice('one', [])]
    expect(aspects(caseOf(before), { delete: ['one'] }, {})).toEqual(['slices', 'writes'])
    expect(aspects(caseOf(before), {}, { delete: ['one'] })).toEqual(['slices'])
  })

  it('sees an update of a slice that is not there', () => {
    const stray = { update: [slice('stray', [])] }
    expect(aspects(caseOf([slice('one', [])]), stray, {})).toContain('slices')
  })

  it('welcomes an update less that changes nothing, and not an update more', () => {
    const before = slice('one', [a], { annotations: { [ANNOTATION_TRIGGER_TIME]: '2020-01-01T00:00:00Z' } })
    const again = { update: [slice('one', [a])] }
    expect(aspects(caseOf([before]), {}, again)).toEqual([])
    expect(aspects(caseOf([before]), again, {})).toEqual(['writes'])
  })

  describe('with topology hints', () => {
    const auto = { annotations: { [ANNOTATION_TOPOLOGY_MODE]: 'Auto' } }
    const ofHints = (...zones: string[]): Partial<Outcome> => ({
      create: [
        slice(
          '',
          zones.map((zone, index) => hinted(`10.0.0.${index}`, zone)),
        ),
      ],
    })

    it('does not mind which endpoint is hinted to a zone', () => {
      expect(aspects(caseOf([], auto), ofHints('a', 'b', 'b'), ofHints('b', 'a', 'b'))).toEqual([])
    })

    it('sees a zone with more endpoints than upstream ever gave it', () => {
      const [even, uneven] = [ofHints('a', 'a', 'b', 'b'), ofHints('a', 'b', 'b', 'b')]
      expect(aspects(caseOf([], auto), uneven, even)).toEqual(['hints'])
      expect(aspects(caseOf([], auto), uneven, even, uneven)).toEqual([])
    })

    it('sees a hint of an endpoint that is not ready', () => {
      const idle = { conditions: { ready: false, serving: false, terminating: false } }
      const ours = { create: [slice('', [{ ...hinted('10.0.0.1', 'a'), ...idle }])] }
      expect(aspects(caseOf([], auto), ours, { create: [slice('', [endpoint('10.0.0.1', idle)])] })).toEqual([
        'endpoints',
      ])
    })

    const ENABLED =
      'Normal TopologyAwareHintsEnabled Topology Aware Hints has been enabled, addressType: IPv4'

    it('minds whether the hints are told to be new only where no slice had some', () => {
      const before = [slice('one', [hinted('10.0.0.1', 'a')])]
      expect(aspects(caseOf(before, auto), {}, { events: [ENABLED] })).toEqual([])
      expect(aspects(caseOf([slice('one', [a])], auto), {}, { events: [ENABLED] })).toEqual(['events'])
      expect(aspects(caseOf(before, auto), { events: [ENABLED] }, {})).toEqual(['events'])
    })
  })

  it('lets any of the endpoints be written while a Service is being deleted, but none that upstream never writes', () => {
    const deleted = caseOf([], { deletionTimestamp: '2026-03-01T12:00:00Z' })
    const writing = (made: Endpoint): Partial<Outcome> => ({ create: [slice('', [made])] })
    expect(aspects(deleted, writing(b), writing(a), writing(b))).toEqual([])
    expect(aspects(deleted, writing(c), writing(a), writing(b))).toEqual(['endpoints'])
  })

  it('sees an error where upstream has none, whatever its words', () => {
    expect(aspects(caseOf([]), { error: 'no node' }, {})).toEqual(['error'])
    expect(aspects(caseOf([]), { error: 'no node' }, { error: 'Node n1 Not Found' })).toEqual([])
  })
})
