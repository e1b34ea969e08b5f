import type { ObjectEvent } from '../../../shared/views/index.ts'

/** Services of one port, each with a slice of so many endpoints. */
export interface Workload {
  readonly services: number
  readonly endpoints: number
}

const namespaceOf = (service: number): string => `team-${service % 20}`

export const serviceEvent = (service: number): ObjectEvent => ({
  type: 'Added',
  object: {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: `web-${service}`,
      namespace: namespaceOf(service),
      annotations: { 'dcontroller.io/endpointslice-controller-enabled': '' },
    },
    spec: { type: 'ClusterIP', ports: [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 8080 }] },
  },
})

/** @param version changes the first endpoint's address: what a restarted pod does */
export const sliceEvent = (service: number, endpoints: number, version: number): ObjectEvent => ({
  type: 'Updated',
  object: {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `web-${service}-abc`,
      namespace: namespaceOf(service),
      resourceVersion: String(version),
      labels: { 'kubernetes.io/service-name': `web-${service}` },
    },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    endpoints: Array.from({ length: endpoints }, (_, endpoint) => ({
      addresses: [`10.${endpoint === 0 ? version % 251 : 251}.${service % 250}.${endpoint}`],
      conditions: { ready: true, serving: true, terminating: false },
      nodeName: `node-${endpoint}`,
      targetRef: { kind: 'Pod', namespace: namespaceOf(service), name: `web-${service}-${endpoint}` },
    })),
  },
})
