import * as fc from 'fast-check'
import type { Pod } from '../../../index.ts'
import { nodeName } from './nodes.ts'
import { NAMESPACE } from './services.ts'

type Spec = NonNullable<Pod['spec']>
type Containers = Pick<Spec, 'containers' | 'initContainers'>
type Often<T> = readonly [weight: number, value: T][]

const often = <T>(choices: Often<T>): fc.Arbitrary<T> =>
  fc.oneof(...choices.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })))

/** Values of status.podIPs, by the number of the pod. */
const ADDRESSES: Often<(index: number) => string[]> = [
  [12, (index) => [`10.0.0.${index + 1}`, `fd00::${index + 1}`]],
  [4, (index) => [`10.0.0.${index + 1}`]],
  [3, (index) => [`fd00::${index + 1}`]],
  [1, (index) => [`10.0.9.${index + 1}`, `10.0.0.${index + 1}`, `fd00::${index + 1}`]],
  [1, (index) => [`010.000.0.${index + 1}`]],
  [1, (index) => [`FD00:0:0::${index + 1}`, `::ffff:10.0.0.${index + 1}`]],
  [1, () => ['10.0.0.250', 'fd00::250']],
  [1, () => []],
]

const STATES: Often<{ phase: string; ready?: string; terminating?: true }> = [
  [10, { phase: 'Running', ready: 'True' }],
  [3, { phase: 'Running', ready: 'False' }],
  [1, { phase: 'Running', ready: 'Unknown' }],
  [1, { phase: 'Running', ready: 'True', terminating: true }],
  [1, { phase: 'Running', ready: 'False', terminating: true }],
  [1, { phase: 'Pending' }],
  [1, { phase: 'Succeeded', ready: 'False' }],
  [1, { phase: 'Failed', ready: 'True', terminating: true }],
]

const container = (
  name: string,
  ports: readonly (readonly [name: string, port: number, protocol?: string])[],
): Spec['containers'][number] => ({
  name,
  ports: ports.map(([port, containerPort, protocol = 'TCP']) => ({ name: port, containerPort, protocol })),
})

const CONTAINERS: Often<Containers> = [
  [
    9,
    {
      containers: [
        container('app', [
          ['http', 8080],
          ['admin', 8443],
          ['dns', 5353, 'UDP'],
        ]),
      ],
    },
  ],
  [3, { containers: [container('app', [['http', 8081]]), container('second', [['http', 9999]])] }],
  [1, { containers: [container('app', [['http', 8080, 'SCTP']])] }],
  [1, { containers: [container('app', [])] }],
  [
    1,
    {
      containers: [container('app', [['admin', 8443]])],
      initContainers: [
        container('setup', [['http', 1]]),
        { ...container('sidecar', [['http', 9000]]), restartPolicy: 'Always' },
      ],
    },
  ],
]

const pod = fc.record({
  addresses: often(ADDRESSES),
  state: often(STATES),
  containers: often(CONTAINERS),
  // The last number is of no node, and undefined of a pod that was not scheduled.
  node: fc.oneof(
    { weight: 15, arbitrary: fc.nat(5) },
    { weight: 1, arbitrary: fc.constantFrom(99, undefined) },
  ),
  host: often<Pick<Spec, 'hostname' | 'subdomain'>>([
    [8, {}],
    [2, { hostname: 'h', subdomain: 'web' }],
    [1, { hostname: 'h', subdomain: 'other' }],
    [1, { hostname: 'h' }],
  ]),
})

/** Nothing is wrong with it: what topology hints need is there, and all go into the same slices. */
const healthyPod = fc.record({
  addresses: often(ADDRESSES.slice(0, 1)),
  state: often(STATES.slice(0, 1)),
  containers: often(CONTAINERS.slice(0, 1)),
  node: fc.nat(5),
  host: fc.constant({}),
})

/** Pods p-0, p-1, … that the Service selects. They stand on the first `nodeCount` nodes, but for a few. */
export const pods: fc.Arbitrary<(nodeCount: number) => Pod[]> = fc
  .oneof(
    { weight: 2, arbitrary: fc.array(pod, { maxLength: 14, size: 'max' }) },
    { weight: 1, arbitrary: fc.array(healthyPod, { minLength: 2, maxLength: 20, size: 'max' }) },
  )
  .map((shapes) => (nodeCount) => shapes.map((shape, index) => podOf(shape, index, nodeCount)))

type PodShape = typeof pod extends fc.Arbitrary<infer Shape> ? Shape : never

function podOf(
  { addresses, state, containers, node, host }: PodShape,
  index: number,
  nodeCount: number,
): Pod {
  const ips = addresses(index)
  const onNode = node !== undefined && {
    nodeName: nodeName(node < 99 && nodeCount > 0 ? node % nodeCount : 99),
  }
  return {
    metadata: {
      name: `p-${index}`,
      namespace: NAMESPACE,
      uid: `uid-p-${index}`,
      resourceVersion: String(1000 + index),
      ...(state.terminating && { deletionTimestamp: '2026-03-01T11:30:00Z' }),
    },
    spec: { ...onNode, ...host, ...containers },
    status: {
      phase: state.phase,
      ...(ips[0] !== undefined ? { podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) } : undefined),
      conditions: [
        { type: 'Initialized', status: 'True' },
        ...(state.ready === undefined ? [] : [{ type: 'Ready', status: state.ready }]),
      ],
    },
  }
}
