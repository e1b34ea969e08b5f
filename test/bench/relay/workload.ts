import { seal } from '../../../shared/changes/index.ts'
import { type Pod, plan } from '../../../shared/endpointslice/index.ts'
import type { ObjectTexts, ServedCluster } from '../../support/list-watch-server.ts'

/** Content of one cluster of a measurement. */
export interface WorkloadShape {
  readonly services: number
  readonly podsPerService: number
  /** Size of a pod's JSON, about. */
  readonly podBytes: number
  /** Default 50. */
  readonly nodes?: number
}

export const SERVICE_PREFIX = 'service-'
const NAMESPACE = 'shop'

/**
 * Returns a cluster whose objects are made when they are asked for. Pods run, are ready, and belong to one
 * Service each. Slices are as functions leave them.
 */
export function generatedCluster(shape: WorkloadShape): ServedCluster {
  const { services, podsPerService, podBytes, nodes = DEFAULT_NODES } = shape
  const pod = (index: number): string => podText(index, { services, podBytes, nodes })
  const kinds = new Map<string, ObjectTexts>([
    ['services', { length: services, text: serviceText }],
    ['pods', { length: services * podsPerService, text: pod }],
    ['nodes', { length: nodes, text: nodeText }],
    ['endpointslices', { length: services, text: (index) => sliceText(index, shape) }],
  ])
  return { objects: (plural) => kinds.get(plural), resourceVersion: () => 1_000_000 }
}

const DEFAULT_NODES = 50

/** Makes the slice of one Service, which has no more pods than a slice takes. */
function sliceText(service: number, { services, podsPerService, nodes }: WorkloadShape): string {
  const numbers = Array.from({ length: podsPerService }, (_, at) => service + at * services)
  const pods = numbers.map((index): Pod => JSON.parse(podText(index, { services, podBytes: 0, nodes })))
  const { create } = plan({
    service: JSON.parse(serviceText(service)),
    pods,
    nodes: numbers.map((index) => JSON.parse(nodeText(index % (nodes ?? DEFAULT_NODES)))),
    slices: [],
  })
  const [slice] = create
  if (slice === undefined || create.length > 1) throw new Error('a Service of the workload needs one slice')
  return JSON.stringify(seal({ ...slice, metadata: { ...slice.metadata, resourceVersion: '1' } }))
}

const serviceText = (index: number): string =>
  JSON.stringify({
    metadata: {
      namespace: NAMESPACE,
      name: `${SERVICE_PREFIX}${index}`,
      uid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
      resourceVersion: '1',
      annotations: { 'sliceflow.dev/selector': `app=app-${index}` },
    },
    spec: {
      type: 'ClusterIP',
      clusterIP: '10.1.0.1',
      ipFamilies: ['IPv4'],
      ports: [{ port: 80, targetPort: 8080 }],
    },
  })

const nodeText = (index: number): string =>
  JSON.stringify({
    metadata: { name: `node-${index}`, labels: { 'topology.kubernetes.io/zone': `zone-${index % 3}` } },
    status: { allocatable: { cpu: '8' }, conditions: [{ type: 'Ready', status: 'True' }] },
  })

export interface PodOptions {
  readonly services: number
  readonly podBytes: number
  readonly nodes?: number | undefined
  /** Counts up with every change of the pod: its address follows. Default 0. */
  readonly change?: number
}

export function podText(
  index: number,
  { services, podBytes, nodes = DEFAULT_NODES, change = 0 }: PodOptions,
): string {
  const pod = {
    metadata: {
      namespace: NAMESPACE,
      name: `pod-${index}`,
      uid: `11111111-1111-4111-8111-${String(index).padStart(12, '0')}`,
      resourceVersion: String(1_000_000 + change),
      labels: { app: `app-${index % services}`, 'pod-template-hash': `hash-${index % services}` },
      annotations: { filler: '' },
    },
    spec: {
      nodeName: `node-${index % nodes}`,
      containers: [{ name: 'main', image: 'image', ports: [{ containerPort: 8080 }] }],
    },
    status: {
      phase: 'Running',
      podIPs: [{ ip: `10.${(index >> 16) % 256}.${(index >> 8) % 256}.${(index + change) % 256}` }],
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
    },
  }
  const missing = podBytes - JSON.stringify(pod).length
  // Real pods are large by many small fields, which cost more to parse than one long text: by what their
  // containers have, and by nearly as much in managedFields.
  const count = Math.max(0, Math.ceil(missing / 105))
  const numbers = Array.from({ length: count }, (_, at) => at)
  const env = numbers.map((at) => ({ name: `VARIABLE_${at}`, value: 'some text of it' }))
  const fields = numbers.map((at) => [`k:{"name":"VARIABLE_${at}"}`, { '.': {}, 'f:name': {} }])
  const [container] = pod.spec.containers
  return JSON.stringify({
    ...pod,
    metadata: { ...pod.metadata, managedFields: [{ fieldsV1: Object.fromEntries(fields) }] },
    spec: { ...pod.spec, containers: [{ ...container, env }] },
  })
}
