import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import type { TestCase } from '../test-case.ts'
import { histories, slicesFrom } from './history.ts'
import { mutated, mutations } from './mutations.ts'
import { nodes } from './nodes.ts'
import { pods } from './pods.ts'
import { rarely, services } from './services.ts'

const triggerTimes = fc.constantFrom(
  '2026-03-01T12:00:00Z',
  '2026-03-01T12:00:00.123456789Z',
  '2026-03-01T12:00:00.100Z',
  '2026-03-01T14:30:00.5+02:30',
)

/** Small worlds: few pods and small maximums, so that packing matters and a failing case can be read. */
export const testCases: fc.Arbitrary<TestCase> = fc
  .record({
    service: services,
    nodes,
    pods,
    maxEndpointsPerSlice: fc.constantFrom(1, 2, 3, 3, 4, 5, 8, 100),
    triggerTime: rarely(2, triggerTimes),
    controllerName: fc.constantFrom('sliceflow.dev', 'endpointslice-controller.k8s.io'),
    history: histories,
    mutations,
  })
  .map(({ pods, triggerTime, history, mutations, ...rest }) => {
    const now = {
      ...rest,
      id: '',
      pods: pods(rest.nodes.length),
      slices: [],
      ...(triggerTime !== undefined && { triggerTime }),
    }
    const slices = mutated(slicesFrom(history, now), mutations)
    return identified({ ...now, slices })
  })

/** Gives a case its id. Equal cases have equal ids. */
function identified(testCase: TestCase): TestCase {
  const digest = createHash('sha256').update(JSON.stringify(testCase)).digest('hex')
  return { ...testCase, id: digest.slice(0, 12) }
}
