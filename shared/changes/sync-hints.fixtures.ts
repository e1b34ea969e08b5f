import {
  type EndpointSlice,
  LABEL_SERVICE_NAME,
  LABEL_ZONE,
  type Node,
  type Pod,
  type Service,
} from '../endpointslice/index.ts'
import {
  type Change,
  type ClusterIndex,
  createClusterIndex,
  createCrossClusterSelectors,
  seal,
} from './index.ts'
import { anythingAllowed } from './sources/permissions.fixtures.ts'

export const service = (annotations: Record<string, string> = {}): Service => ({
  metadata: { name: 'web', namespace: 'shop', uid: 'uid-web', annotations },
  spec: { selector: { app: 'web' } },
})
export const custom = (annotations: Record<string, string>): Service => ({
  ...service(annotations),
  spec: {},
})

export const pod = (name: string, ip = '10.0.0.1'): Pod => ({
  metadata: { name, namespace: 'shop', uid: `uid-${name}`, resourceVersion: '7', labels: { app: 'web' } },
  spec: { containers: [], nodeName: 'n1' },
  status: { podIPs: ip === '' ? [] : [{ ip }], conditions: [{ type: 'Ready', status: 'True' }] },
})

export const node = (name: string, zone: string, resourceVersion?: string): Node => ({
  metadata: {
    name,
    labels: { [LABEL_ZONE]: zone },
    ...(resourceVersion !== undefined && { resourceVersion }),
  },
})

interface SliceOptions {
  readonly addressType?: 'IPv4' | 'IPv6'
  readonly port?: number
  readonly version?: string
}

/** Makes a slice as we write it. */
export function slice(name: string, pods: readonly string[], options: SliceOptions = {}): EndpointSlice {
  const { addressType = 'IPv4', port = 80, version = '100' } = options
  return seal({
    metadata: { name, namespace: 'shop', resourceVersion: version, labels: { [LABEL_SERVICE_NAME]: 'web' } },
    addressType,
    ports: [{ name: '', port, protocol: 'TCP' }],
    endpoints: pods.map((each) => ({
      addresses: ['10.0.0.1'],
      targetRef: { kind: 'Pod', namespace: 'shop', name: each },
    })),
  })
}

export const names = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${at}`)

export const change = (...pods: string[]): Change => ({
  cluster: 'a',
  namespace: 'shop',
  service: 'web',
  pods,
})

/** Lists a cluster with these slices, whose Pods are there. */
export function indexOf(slices: readonly EndpointSlice[], of = service()): ClusterIndex {
  const mode = of.spec?.selector === undefined ? 'custom' : 'replace'
  const index = createClusterIndex('a', mode, createCrossClusterSelectors(), anythingAllowed('a'))
  index.services.put(of)
  index.slices.listing()
  for (const each of slices) {
    index.slices.put(each)
    for (const { targetRef } of each.endpoints ?? []) index.pods.put(pod(targetRef?.name ?? ''))
  }
  index.slices.listed('100')
  return index
}
