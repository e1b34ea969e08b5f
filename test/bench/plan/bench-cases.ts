import { LABEL_ZONE, type Node, type Pod, type Service } from '../../../shared/endpointslice/index.ts'
import { deepFreeze } from '../../../shared/endpointslice/plan.fixtures.ts'
import { slicesAfter } from '../../../shared/endpointslice/test/differential/slices-after.ts'
import type { TestCase } from '../../../shared/endpointslice/test/differential/test-case.ts'
import { createRandom } from '../../support/random.ts'

export interface BenchCase extends TestCase {
  /** Number of pods in the end, from which the time per pod is computed. */
  readonly podCount: number
}

const SEED = 42
const NAMESPACE = 'default'
const PODS_PER_NODE = 30
const PODS_PER_SUBNET = 250
const ZONES = ['zone-a', 'zone-b', 'zone-c'] as const
const ROLLED_SHARE = 0.1

/**
 * Returns the cases: one Service with a named and a numeric port, its ready pods in turn over nodes in three
 * zones, at most 100 endpoints a slice. They are the same each time, and frozen.
 * - `create`: there are no slices yet.
 * - `unchanged`: the slices are as they should be.
 * - `rolled`: a tenth of the pods, anywhere, were replaced, so that every slice is written.
 */
export function benchCases(): BenchCase[] {
  const sizes = [1000, 10_000]
  return [
    ...[100, ...sizes].map((count) => createCase(count)),
    ...sizes.map((count) => unchangedCase(count)),
    ...sizes.map((count) => rolledCase(count)),
  ].map(deepFreeze)
}

function createCase(podCount: number): BenchCase {
  const random = createRandom(SEED)
  return {
    id: `create ${podCount}`,
    podCount,
    service: SERVICE,
    // A lister gives pods in no order.
    pods: random.shuffled(numberedPods(0, podCount, podCount)),
    nodes: Array.from({ length: nodeCountFor(podCount) }, (_, index) => node(index)),
    slices: [],
    maxEndpointsPerSlice: 100,
    triggerTime: '2026-03-01T13:00:00Z',
    controllerName: 'endpointslice-controller.k8s.io',
  }
}

function unchangedCase(podCount: number): BenchCase {
  const before = createCase(podCount)
  return { ...before, id: `unchanged ${podCount}`, slices: slicesAfter(before) }
}

function rolledCase(podCount: number): BenchCase {
  const before = unchangedCase(podCount)
  const random = createRandom(SEED + 1)
  const rolled = Math.round(podCount * ROLLED_SHARE)
  const staying = random.shuffled(before.pods).slice(rolled)
  const pods = random.shuffled([...staying, ...numberedPods(podCount, rolled, podCount)])
  return { ...before, id: `rolled ${podCount}`, pods }
}

const SERVICE: Service = {
  metadata: {
    name: 'web',
    namespace: NAMESPACE,
    uid: 'uid-web',
    labels: { 'app.kubernetes.io/name': 'web', team: 'core' },
  },
  spec: {
    selector: { app: 'web' },
    clusterIP: '10.96.0.7',
    ipFamilies: ['IPv4'],
    ports: [
      { name: 'http', port: 80, protocol: 'TCP', targetPort: 'http' },
      { name: 'metrics', port: 9090, protocol: 'TCP', targetPort: 9090 },
    ],
  },
}

const nodeCountFor = (podCount: number): number => Math.max(ZONES.length, Math.ceil(podCount / PODS_PER_NODE))
const nodeName = (index: number): string => `node-${String(index).padStart(4, '0')}`

const node = (index: number): Node => ({
  metadata: { name: nodeName(index), labels: { [LABEL_ZONE]: ZONES[index % ZONES.length] ?? '' } },
  status: { allocatable: { cpu: '4' }, conditions: [{ type: 'Ready', status: 'True' }] },
})

/** Makes `count` pods from number `first` on, over the nodes that `podCount` pods have. */
const numberedPods = (first: number, count: number, podCount: number): Pod[] =>
  Array.from({ length: count }, (_, index) => pod(first + index, nodeCountFor(podCount)))

function pod(index: number, nodeCount: number): Pod {
  const ip = `10.${128 + Math.floor(index / PODS_PER_SUBNET ** 2)}.${Math.floor(index / PODS_PER_SUBNET)}.${1 + (index % PODS_PER_SUBNET)}`
  return {
    metadata: {
      name: `web-6d4cf56db6-${index.toString(36).padStart(5, '0')}`,
      namespace: NAMESPACE,
      uid: `5f3a6c1e-0000-4000-a000-${String(index).padStart(12, '0')}`,
      resourceVersion: String(100_000 + index),
      labels: { app: 'web', 'pod-template-hash': '6d4cf56db6' },
    },
    spec: {
      nodeName: nodeName(index % nodeCount),
      containers: [
        {
          name: 'app',
          ports: [
            { name: 'http', containerPort: 8080, protocol: 'TCP' },
            { name: 'metrics', containerPort: 9090, protocol: 'TCP' },
          ],
        },
      ],
    },
    status: {
      phase: 'Running',
      podIP: ip,
      podIPs: [{ ip }],
      conditions: [
        { type: 'Initialized', status: 'True' },
        { type: 'Ready', status: 'True', lastTransitionTime: '2026-03-01T12:00:00Z' },
      ],
    },
  }
}
