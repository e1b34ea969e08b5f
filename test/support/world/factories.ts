import {
  type Endpoint,
  type EndpointSlice,
  LABEL_MANAGED_BY,
  LABEL_SERVICE_NAME,
  LABEL_ZONE,
  type Node,
  type Pod,
  type Service,
  type ServicePort,
} from '../../../shared/endpointslice/index.ts'

export interface ServiceInput {
  readonly namespace?: string
  readonly name?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  /** Default: `{ app: name }`; null for a Service without a selector. */
  readonly selector?: Readonly<Record<string, string>> | null
  /** Default: `http`, 80 to the named port `http`. */
  readonly ports?: readonly ServicePort[]
  /** Everything else of the spec, such as `clusterIP: 'None'` or `ipFamilyPolicy`. */
  readonly spec?: Partial<NonNullable<Service['spec']>>
}

/** Makes a Service as a user writes it: an API server fills in cluster IPs, families and defaults. */
export function makeService({
  namespace = 'default',
  name = 'web',
  labels,
  annotations,
  selector = { app: name },
  ports = [{ name: 'http', port: 80, targetPort: 'http' }],
  spec,
}: ServiceInput = {}): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace, name, ...(labels && { labels }), ...(annotations && { annotations }) },
    spec: { ...(selector && { selector: { ...selector } }), ports: [...ports], ...spec },
  }
}

export interface PodInput {
  readonly namespace?: string
  readonly name?: string
  /** Default: `{ app: 'web' }`. */
  readonly labels?: Readonly<Record<string, string>>
  /** Default: a node of that name; null for a pod that was not scheduled. */
  readonly nodeName?: string | null
  /** The container ports by name; default `{ http: 8080 }`. */
  readonly ports?: Readonly<Record<string, number>>
  readonly spec?: Partial<NonNullable<Pod['spec']>>
  readonly status?: Pod['status']
}

/** Makes a pod that an API server accepts: one container, which never runs. */
export function makePod({
  namespace = 'default',
  name = 'web-1',
  labels = { app: 'web' },
  nodeName = 'node-1',
  ports = { http: 8080 },
  spec,
  status,
}: PodInput = {}): Pod {
  const containerPorts = Object.entries(ports).map(([port, containerPort]) => ({ name: port, containerPort }))
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name, labels: { ...labels } },
    spec: {
      containers: [{ name: 'main', image: 'example.org/none', ports: containerPorts }],
      ...(nodeName !== null && { nodeName }),
      ...spec,
    },
    ...(status && { status }),
  }
}

export interface PodStatusInput {
  /** Default true. */
  readonly ready?: boolean
  /** Default `Running`. */
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed'
  /** Time at which it became (un)ready; default now. */
  readonly transitionTime?: Date
}

/** Makes the status that a kubelet would report of a pod with these addresses, the preferred one first. */
export function makePodStatus(
  addresses: readonly string[],
  { ready = true, phase = 'Running', transitionTime = new Date() }: PodStatusInput = {},
): NonNullable<Pod['status']> {
  const [podIP] = addresses
  return {
    phase,
    ...(podIP && { podIP, podIPs: addresses.map((ip) => ({ ip })) }),
    conditions: [
      { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: rfc3339Seconds(transitionTime) },
    ],
  }
}

/** Formats a time as Kubernetes' metav1.Time: without a fraction of a second. */
export const rfc3339Seconds = (date: Date): string => date.toISOString().replace(/\.\d+Z$/, 'Z')

interface NodeInput {
  readonly name?: string
  /** null for a node without a zone. Default `zone-a`. */
  readonly zone?: string | null
  readonly labels?: Readonly<Record<string, string>>
}

/** Makes a node that, once its status is written, is Ready and has 4 CPUs. */
export function makeNode({ name = 'node-1', zone = 'zone-a', labels }: NodeInput = {}): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { ...labels, ...(zone !== null && { [LABEL_ZONE]: zone }) } },
    status: { allocatable: { cpu: '4' }, conditions: [{ type: 'Ready', status: 'True' }] },
  }
}

export interface SliceInput {
  readonly namespace?: string
  readonly name?: string
  /** The value of the label kubernetes.io/service-name; default `web`. */
  readonly service?: string
  /** null for a slice that a user made by hand. Default `somebody-else`. */
  readonly managedBy?: string | null
  readonly addressType?: 'IPv4' | 'IPv6'
  readonly endpoints?: readonly Endpoint[]
  readonly ports?: EndpointSlice['ports']
}

/** Makes a slice of another manager, unless `managedBy` says otherwise. */
export function makeSlice({
  namespace = 'default',
  name = 'web-foreign',
  service = 'web',
  managedBy = 'somebody-else',
  addressType = 'IPv4',
  endpoints = [],
  ports = [],
}: SliceInput = {}): EndpointSlice {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      namespace,
      name,
      labels: { [LABEL_SERVICE_NAME]: service, ...(managedBy !== null && { [LABEL_MANAGED_BY]: managedBy }) },
    },
    addressType,
    endpoints: [...endpoints],
    ports,
  }
}
