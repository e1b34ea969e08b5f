import { beforeEach, describe, expect, it } from 'vitest'
import { type EndpointSlice, type Pod, plan, type Service } from '../../endpointslice/index.ts'
import { type ClusterIndex, createClusterIndex } from '../index.ts'

const WEB = { cluster: 'a', namespace: 'shop', service: 'web' }
const SETTINGS = { managedBy: 'sliceflow.dev', leftovers: 'auto' } as const
const service: Service = {
  metadata: { name: 'web', namespace: 'shop', uid: 'uid-web' },
  spec: { clusterIP: '10.96.0.7', ipFamilies: ['IPv4'], selector: { app: 'web' }, ports: [] },
}
const pod = (number: number): Pod => ({
  metadata: { name: `p${number}`, namespace: 'shop', uid: `uid-${number}`, labels: { app: 'web' } },
  spec: { containers: [], nodeName: 'n1' },
  status: { podIPs: [{ ip: `10.0.0.${number}` }], conditions: [{ type: 'Ready', status: 'True' }] },
})
const node = { metadata: { name: 'n1' } }

describe('what is known of one key', () => {
  let index: ClusterIndex
  let written: EndpointSlice[]

  beforeEach(() => {
    index = createClusterIndex('a', 'replace')
    const pods = [1, 2, 3].map(pod)
    written = plan({ service, pods, nodes: [node], slices: [] }, { maxEndpointsPerSlice: 2 }).create
    index.services.put(service)
    index.nodes.put(node)
    for (const each of pods) index.pods.put(each)
    for (const each of written) index.slices.put(each)
  })

  it('is the state of it', () => {
    expect(index.state(WEB, SETTINGS)).toBe('right')
    index.pods.remove(pod(1))
    expect(index.state(WEB, SETTINGS)).toBe('wrong')
    expect(index.state({ ...WEB, service: 'other' }, SETTINGS)).toBe('right')
  })

  it('are the endpoints of all of its slices, in its own cluster', () => {
    expect(index.endpointCount(WEB)).toBe(3)
    expect(index.endpointCount({ ...WEB, service: 'other' })).toBe(0)
    expect(index.endpointCount({ ...WEB, cluster: 'b' })).toBe(0)
  })
})
