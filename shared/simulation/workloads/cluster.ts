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

/** Makes the objects of a cluster as a Deployment, a kubelet and a cloud would; the same each time. */
export interface SimulatedCluster {
  readonly services: readonly Service[]
  readonly nodes: readonly Node[]
  /** The Pods that are there at the begin, all ready. */
  readonly pods: readonly Pod[]
  /** Makes a Pod of the Service that was not there before, with an address and Node of its own. */
  newPod(service: number): Pod
}

const NAMESPACE = 'shop'
const ZONES = ['zone-a', 'zone-b', 'zone-c'] as const
/** Letters of generated names: no vowels and no look-alikes (apimachinery util/rand). */
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

/** Whether there is one is all that counts. */
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

/**
 * Makes a suffix, another one for each number and in no order: a Deployment's names say nothing of their age.
 */
export function suffix(number: number): string {
  const letters = ALPHABET.length
  // Odd multipliers that share no factor with 27^5 give each number a place of its own.
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

/** Makes an address as CNIs give them, most of them with 11 or 12 characters. */
const addressOf = (number: number): string =>
  `10.${100 + ((number >> 16) & 127)}.${(number >> 8) & 255}.${number & 255}`
