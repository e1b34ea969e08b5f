import { describe, expect, it } from 'vitest'
import { heapGrowth } from '../../../test/support/heap.ts'
import {
  type EndpointSlice,
  LABEL_SERVICE_NAME,
  LABEL_ZONE,
  type Node,
  type Pod,
  type Service,
} from '../../endpointslice/index.ts'
import { type ClusterIndex, createClusterIndex, createCrossClusterSelectors, seal } from '../index.ts'
import { anythingAllowed } from '../sources/permissions.fixtures.ts'

/** So many come and go; whoever kept but an entry of a map for each would hold 200 kB. */
const ROUNDS = 1_000
/** Bytes that compiled code may take meanwhile: five times what was seen. */
const NOISE = 100_000

/** Makes a name unlike any other, and long enough to be seen where it is kept. */
const longName = (round: number): string => `n${round}-`.padEnd(60, 'x')

const metadata = (name: string, round: number): object => ({
  name,
  namespace: 'shop',
  uid: name,
  resourceVersion: String(round + 1),
})
const pod = (round: number, name = longName(round), namespace = 'shop'): Pod =>
  ({
    metadata: {
      ...metadata(name, round),
      namespace,
      labels: { app: longName(round), tier: longName(round) },
    },
    spec: {
      nodeName: 'n1',
      containers: [{ name: 'c', ports: [{ name: `p${round}`, containerPort: round + 1 }] }],
    },
    status: { podIPs: [{ ip: '10.0.0.1' }], conditions: [{ type: 'Ready', status: 'True' }] },
  }) as Pod
const service = (round: number, name = longName(round)): Service => ({
  metadata: metadata(name, round),
  spec: { selector: { app: longName(round) } },
})
const foreignService = (round: number): Service => ({
  metadata: {
    ...metadata('web', round),
    annotations: { 'sliceflow.dev/selector': 'app=web', 'sliceflow.dev/cluster': longName(round) },
  },
  spec: {},
})
const node = (round: number, name = longName(round)): Node => ({
  metadata: { ...metadata(name, round), labels: { [LABEL_ZONE]: longName(round) } },
})
const slice = (round: number, name = longName(round)): EndpointSlice =>
  seal({
    metadata: { ...metadata(name, round), labels: { [LABEL_SERVICE_NAME]: longName(round) } },
    addressType: 'IPv4',
    endpoints: [
      { addresses: ['10.0.0.1'], targetRef: { kind: 'Pod', namespace: 'shop', name: longName(round) } },
    ],
  })

/** Starts with one object of each kind, so that its tables are never empty. */
function start(): ClusterIndex {
  const { permissions } = anythingAllowed('a')
  const index = createClusterIndex('a', 'replace', createCrossClusterSelectors(), { permissions })
  index.nodes.put(node(0, 'n1'))
  index.services.put(service(0, 'web'))
  index.endpoints.put({ metadata: metadata('web', 0) })
  index.pods.put(pod(0, 'web-1'))
  index.slices.listing()
  index.slices.put(slice(0, 'web-1'))
  index.slices.listed('1')
  return index
}

type Round = (index: ClusterIndex, round: number) => void

/** What comes and goes, by kind: each kind in every way in which it can go. */
const CHURN: Readonly<Record<string, readonly Round[]>> = {
  pods: [
    (index, round) => {
      index.pods.put(pod(round))
      index.pods.remove(pod(round))
    },
    (index, round) => {
      index.pods.put(pod(0, 'web-1', longName(round)))
      index.pods.remove(pod(0, 'web-1', longName(round)))
    },
    (index, round) => {
      index.pods.listing()
      index.pods.put(pod(0, 'web-1'))
      index.pods.put(pod(round))
      index.pods.listed(String(round))
    },
    // Labels and ports that a pod had.
    (index, round) => index.pods.put(pod(round, 'web-1')),
  ],
  Services: [
    (index, round) => {
      index.services.put(service(round))
      index.services.remove(service(round))
    },
    (index, round) => {
      index.services.listing()
      index.services.put(service(0, 'web'))
      index.services.put(service(round))
      index.services.listed(String(round))
    },
    // Selectors that a Service had.
    (index, round) => index.services.put(service(round, 'web')),
  ],
  nodes: [
    (index, round) => {
      index.nodes.put(node(round))
      index.nodes.remove(node(round))
    },
    (index, round) => {
      index.nodes.listing()
      index.nodes.put(node(round))
      index.nodes.listed(String(round))
    },
  ],
  'slices, which are verified as well': [
    (index, round) => {
      index.slices.put(slice(round))
      index.verify({ cluster: 'a', namespace: 'shop', service: longName(round) })
      index.slices.remove(slice(round))
    },
    (index, round) => {
      index.slices.listing()
      index.slices.put(slice(round))
      index.slices.listed(String(round))
      index.verify({ cluster: 'a', namespace: 'shop', service: longName(round) })
    },
    // Services that a slice was of.
    (index, round) => {
      index.slices.put(slice(round, 'web-1'))
      index.verify({ cluster: 'a', namespace: 'shop', service: longName(round) })
    },
  ],
  Endpoints: [
    (index, round) => {
      index.endpoints.put({ metadata: metadata(longName(round), round) })
      index.endpoints.remove({ metadata: metadata(longName(round), round) })
    },
    (index, round) => {
      index.endpoints.listing()
      index.endpoints.put({ metadata: metadata('web', 0) })
      index.endpoints.put({ metadata: metadata(longName(round), round) })
      index.endpoints.listed(String(round))
    },
  ],
}

describe('what a cluster index remembers', () => {
  it.each(Object.entries(CHURN))('is nothing of %s that came and went', (_, rounds) => {
    const index = start()
    const play = (from: number): void => {
      for (const round of rounds) for (let each = from; each < from + ROUNDS; each++) round(index, each)
    }
    play(1)
    const size = index.size()
    expect(heapGrowth((time) => play(1 + time * ROUNDS))).toBeLessThan(NOISE)
    expect(index.size()).toEqual(size)
    expect(index.keys().length).toBeLessThanOrEqual(3)
  })

  it('is nothing of clusters that Services took pods of', () => {
    const { permissions } = anythingAllowed('a')
    const selectors = createCrossClusterSelectors()
    const index = createClusterIndex('a', 'custom', selectors, { permissions })
    for (let round = 0; round < 100; round++) index.services.put(foreignService(round))
    expect(selectors.clusters()).toEqual([longName(99)])
    index.services.remove(foreignService(99))
    expect(selectors.clusters()).toEqual([])
  })
})
