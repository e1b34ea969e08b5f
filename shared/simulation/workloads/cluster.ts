import { LABEL_ZONE, type Node, type Pod, type Service } from '../../endpointslice/index.ts'

/** Size of a simulated cluster. */
export interface ClusterSize {
  readonly services: number
  /** Ready Pods of each Service. */
  readonly endpoints: number
  readonly nodes: number
}

export interface PodState {
  /** Default true. */
  readonly isReady?: boolean
  /** Default false. */
  readonly isTerminating?: boolean
}

/** Creates a cluster's objects as a Deployment, kubelet and cloud would; the same for the same options. */
export interface SimulatedCluster {
  readonly services: readonly Service[]
  readonly nodes: readonly Node[]
  /** The initial Pods, all ready. */
  readonly pods: readonly Pod[]
  /** Creates a new Pod of the Service, with its own address and Node. */
  newPod(service: number): Pod
}

const NAMESPACE = 'shop'
const ZONES = ['zone-a', 'zone-b', 'zone-c'] as const
/** Letters of generated names: no vowels and no similar characters (apimachinery util/rand). */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'
const DEPLOYMENT_HASH = '7d4b9c6f5'

export function createSimulatedCluster({ services, endpoints, nodes }: ClusterSize): SimulatedCluster {
  let podCount = 0
  const newPod = (service: number): Pod => podNumbered(podCount++, serviceName(service, services), nodes)
  return {
    services: Array.from({ length: services }, (_, index) => aService(serviceName(index, services), index)),
    nodes: Array.from({ length: nodes }, (_, index) => aNode(index)),
    pods: Array.from({ length: services * endpoints }, (_, index) => newPod(Math.floor(index / endpoints))),
    newPod,
  }
}

/** Returns the same Pod in another state. */
export function withState(
  pod: Pod,
  { isReady = true, isTerminating = false }: PodState,
  version: number,
): Pod {
  const { deletionTimestamp: _, ...metadata } = pod.metadata ?? {}
  return {
    ...pod,
    metadata: {
      ...metadata,
      resourceVersion: String(version),
      ...(isTerminating && { deletionTimestamp: SOME_TIME }),
    },
    status: { ...pod.status, conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
  }
}

/** Only its presence matters. */
const SOME_TIME = '2026-01-01T00:00:00Z'

const serviceName = (index: number, count: number): string => (count === 1 ? 'web' : `web-${index}`)

const aService = (name: string, index: number): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: NAMESPACE, uid: uidOf(index, 's') },
  spec: {
    selector: { app: name },
    clusterIP: addressOf(index),
    ipFamilies: ['IPv4'],
    ports: [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 8080 }],
  },
})

const aNode = (index: number): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: `node-${index}`, labels: { [LABEL_ZONE]: ZONES[index % ZONES.length] ?? '' } },
})

function podNumbered(number: number, app: string, nodes: number): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${app}-${DEPLOYMENT_HASH}-${suffix(number)}`,
      namespace: NAMESPACE,
      uid: uidOf(number, 'p'),
      labels: { app },
      resourceVersion: '1',
    },
    spec: { nodeName: `node-${number % nodes}`, containers: [{ name: 'app' }] },
    status: {
      phase: 'Running',
      podIPs: [{ ip: addressOf(number) }],
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  }
}

/** Returns a unique suffix for each number, in no order: the names of a Deployment do not show their age. */
export function suffix(number: number): string {
  const letters = ALPHABET.length
  // Odd multipliers without a common factor with 27^5 map each number to a unique suffix.
  let left = (number * 8_675_309 + 1_234_567) % letters ** 5
  let text = ''
  for (let place = 0; place < 5; place++) {
    text += ALPHABET[left % letters]
    left = Math.floor(left / letters)
  }
  return text
}

const uidOf = (number: number, kind: string): string =>
  `${number.toString(16).padStart(8, '0')}-0000-4000-8000-00000000000${kind === 'p' ? '1' : '2'}`

/** Returns an address in the form of CNIs, mostly 11 or 12 characters. */
const addressOf = (number: number): string =>
  `10.${100 + ((number >> 16) & 127)}.${(number >> 8) & 255}.${number & 255}`
