import { beforeEach, describe, expect, it } from 'vitest'
import { LABEL_ZONE, type Node, type Pod, type Service } from '../../endpointslice/index.ts'
import { type Change, type ClusterIndex, createClusterIndex } from '../index.ts'

const service = (name: string, annotations: Record<string, string> = {}): Service => ({
  metadata: { name, namespace: 'shop', uid: `uid-${name}`, annotations },
  spec: { selector: { app: name } },
})
const HINTS = { 'service.kubernetes.io/topology-mode': 'Auto' }
const pod = (app: string, nodeName: string): Pod => ({
  metadata: { name: app, namespace: 'shop', uid: `uid-${app}`, labels: { app } },
  spec: { containers: [], nodeName },
  status: { podIPs: [{ ip: '10.0.0.1' }], conditions: [{ type: 'Ready', status: 'True' }] },
})
const node = (name: string, zone = 'z1', cpu = '4'): Node => ({
  metadata: { name, labels: { [LABEL_ZONE]: zone } },
  status: { allocatable: { cpu } },
})
const services = (changes: Change[]): string[] => changes.map((change) => change.service).sort()

describe('a change of a Node', () => {
  let index: ClusterIndex
  beforeEach(() => {
    index = createClusterIndex('a', 'replace')
    for (const each of [service('web'), service('api'), service('hinted', HINTS)]) index.services.put(each)
    index.pods.put(pod('web', 'n1'))
    index.pods.put(pod('api', 'n2'))
    index.pods.put(pod('hinted', 'n2'))
    for (const name of ['n1', 'n2', 'n3']) index.nodes.put(node(name))
  })

  it('concerns Services with topology hints where its capacity alone is another one', () => {
    expect(services(index.nodes.put(node('n1', 'z1', '8')))).toEqual(['hinted'])
    expect(services(index.nodes.put(node('n1', 'z1', '8')))).toEqual([])
  })

  it('concerns both where its zone is another one, each once', () => {
    expect(services(index.nodes.put(node('n2', 'z2')))).toEqual(['api', 'hinted'])
    expect(services(index.nodes.put(node('n3', 'z2')))).toEqual(['hinted'])
  })

  it('that is gone concerns both, once', () => {
    expect(services(index.nodes.remove(node('n1')))).toEqual(['hinted', 'web'])
    expect(services(index.nodes.remove(node('n1')))).toEqual([])
    expect(index.size().nodes).toBe(2)
  })

  it('that a list names no more concerns both, each time, and a list of all none', () => {
    for (let time = 0; time < 2; time++) {
      index.nodes.listing()
      for (const name of ['n2', 'n3']) expect(services(index.nodes.put(node(name)))).toEqual([])
      expect(services(index.nodes.listed('9'))).toEqual(['hinted', 'web'])
      index.nodes.put(node('n1'))
      index.nodes.listing()
      for (const name of ['n1', 'n2', 'n3']) index.nodes.put(node(name))
      expect(services(index.nodes.listed('10'))).toEqual([])
    }
  })
})
