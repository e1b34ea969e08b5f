import * as fc from 'fast-check'
import { LABEL_ZONE, type Node } from '../../../index.ts'

/** Names a node: n0, n1, …; a pod may be on one that does not exist. */
export const nodeName = (index: number): string => `n${index}`

interface NodeShape {
  readonly zone: string | undefined
  readonly cpu: string | undefined
  readonly ready: string
  readonly role: string | undefined
}

const shape: fc.Arbitrary<NodeShape> = fc.record({
  zone: fc.constantFrom('a', 'b', 'c', 'a', 'b', 'c', undefined, ''),
  cpu: fc.constantFrom('4', '4', '4', '2', '500m', '7910m', '1.5', '0', undefined),
  ready: fc.constantFrom('True', 'True', 'True', 'True', 'False', 'Unknown'),
  role: fc.constantFrom(
    undefined,
    undefined,
    undefined,
    'node-role.kubernetes.io/control-plane',
    'node-role.kubernetes.io/master',
    'node-role.kubernetes.io/worker',
  ),
})

/** Nodes like those of most clusters, with everything that topology hints need. */
const healthyShape: fc.Arbitrary<NodeShape> = fc.record({
  zone: fc.constantFrom('a', 'b', 'c'),
  cpu: fc.constantFrom('4', '4', '8'),
  ready: fc.constant('True'),
  role: fc.constant(undefined),
})

export const nodes: fc.Arbitrary<Node[]> = fc
  .oneof(
    { weight: 3, arbitrary: fc.array(healthyShape, { minLength: 2, maxLength: 6 }) },
    { weight: 1, arbitrary: fc.array(shape, { maxLength: 6 }) },
  )
  .map((shapes) => shapes.map(nodeOf))

const nodeOf = ({ zone, cpu, ready, role }: NodeShape, index: number): Node => ({
  metadata: {
    name: nodeName(index),
    labels: { ...(zone !== undefined && { [LABEL_ZONE]: zone }), ...(role !== undefined && { [role]: '' }) },
  },
  status: {
    ...(cpu !== undefined && { allocatable: { cpu } }),
    conditions: [
      { type: 'MemoryPressure', status: 'False' },
      { type: 'Ready', status: ready },
    ],
  },
})
