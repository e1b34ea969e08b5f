import { describe, expect, it } from 'vitest'
import { makeNode } from '../../../test/support/world/index.ts'
import { seal } from '../../changes/index.ts'
import {
  type EndpointSlice,
  LABEL_MANAGED_BY,
  LABEL_SERVICE_NAME,
  type Service,
} from '../../endpointslice/index.ts'
import { parseSettings } from '../../settings/index.ts'
import { webPod, webService } from '../memory-cluster.fixtures.ts'
import type { PodsAndNodes } from '../read/endpoint-parts.ts'
import { type PlanInput, partSummary, planService, summaryOf } from './plan-service.ts'

const made = webService()
const service: Service = { ...made, metadata: { ...made.metadata, uid: 'uid-web' } }
const pods = [1, 2, 3].map((number) => {
  const pod = webPod(number)
  return { ...pod, metadata: { ...pod.metadata, uid: `uid-${number}` } }
})
const UNREAD = {
  kind: 'Pod',
  namespace: 'shop',
  name: 'odd',
  reason: 'Malformed',
  message: 'has none',
} as const

const only = (endpoints: PodsAndNodes): PlanInput['parts'] => [{ cluster: 'blue', labels: {}, endpoints }]

const plan = (more: Partial<PlanInput> = {}) =>
  planService({
    service,
    slices: [],
    parts: only({ pods, nodes: [makeNode()], skipped: [] }),
    settings: parseSettings({ mode: 'replace', maxEndpointsPerSlice: 2 }),
    triggerTime: undefined,
    takenNames: new Set(),
    ...more,
  })

/** Returns slices as an API server has them after the plan. */
const stored = (slices: readonly EndpointSlice[]): EndpointSlice[] =>
  slices.map((slice, index) => ({
    ...slice,
    metadata: { ...slice.metadata, uid: `uid-s${index}`, resourceVersion: '1' },
  }))
const nameOf = ({ metadata }: EndpointSlice): string | undefined => metadata?.name

/** Returns a slice of an older Service of the same name. */
const older = (name: string, endpoints: EndpointSlice['endpoints'] = []): EndpointSlice => ({
  metadata: {
    name,
    namespace: 'shop',
    labels: { [LABEL_SERVICE_NAME]: 'web', [LABEL_MANAGED_BY]: 'sliceflow.dev' },
    ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name: 'web', uid: 'uid-old' }],
  },
  addressType: 'IPv4',
  endpoints,
  ports: [],
})

describe('the plan for a Service', () => {
  it('writes nothing the second time', () => {
    const slices = stored(plan().create)
    expect(slices).toHaveLength(2)
    expect(plan({ slices })).toMatchObject({ create: [], update: [], delete: [] })
  })

  it('says of a slice from which event it comes', () => {
    const triggerTime = '2026-01-01T12:00:00Z'
    const [slice] = plan({ triggerTime }).create
    expect(slice?.metadata?.annotations).toMatchObject({
      'endpoints.kubernetes.io/last-change-trigger-time': triggerTime,
    })
  })

  it('takes away what an older Service of that name left empty', () => {
    const sealed = seal(older('web-old'))
    expect(plan({ slices: [sealed, ...stored(plan().create)] }).delete.map(nameOf)).toEqual(['web-old'])
  })

  it('keeps an empty slice of its own', () => {
    const none = { parts: only({ pods: [], nodes: [], skipped: [] }) }
    const slices = stored(plan(none).create)
    expect(slices).toHaveLength(1)
    expect(plan({ ...none, slices })).toMatchObject({ create: [], update: [], delete: [] })
  })

  it('tells first what could not be read, and then what could not be planned', () => {
    const lost = { ...webPod(4), status: { phase: 'Running', podIPs: [{ ip: 'odd' }], podIP: 'odd' } }
    const { skipped } = plan({ parts: only({ pods: [lost], nodes: [makeNode()], skipped: [UNREAD] }) })
    expect(skipped[0]).toBe(UNREAD)
    expect(skipped.length).toBeGreaterThan(1)
  })
})

describe('what is counted of a plan', () => {
  it('is what it shall be, and what it adds and removes unless that is held', () => {
    const planned = plan()
    const stats = { endpointsDesired: 3, endpointsAdded: 3, endpointsRemoved: 0, slicesDesired: 2 }
    expect(summaryOf(service, planned)).toMatchObject({
      stats,
      topology: 'Disabled',
      trafficDistribution: '',
    })
    expect(summaryOf(service, planned, true).stats).toMatchObject({ ...stats, endpointsAdded: 0 })
  })

  it('is, of a part of a Service, only by how much its endpoints are more or fewer', () => {
    const planned = plan()
    const { stats } = { ...planned, stats: { ...planned.stats, endpointsRemoved: 5 } }
    expect(partSummary(service, { ...planned, stats })).toMatchObject({
      isPart: true,
      stats: {
        endpointsDesired: -2,
        endpointsAdded: 3,
        endpointsRemoved: 5,
        slicesActual: 0,
        slicesDesired: 0,
      },
    })
  })

  it.each([
    ['PreferSameZone', {}, 'Disabled', 'PreferSameZone'],
    ['PreferSameNode', {}, 'Disabled', 'PreferSameNode'],
    ['Unheard', {}, 'Disabled', ''],
    ['PreferSameZone', { 'service.kubernetes.io/topology-mode': 'Auto' }, 'Auto', ''],
  ])('is by how the traffic is spread: %s %j', (trafficDistribution, annotations, topology, reported) => {
    const spread = webService({ trafficDistribution }, annotations)
    expect(summaryOf(spread, plan())).toMatchObject({ topology, trafficDistribution: reported })
  })
})
