import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Node, Pod } from '../../endpointslice/index.ts'
import { createSimulatedCluster, withState } from '../workloads/index.ts'
import { POLICIES, POLICY_NAMES } from './index.ts'

const cluster = createSimulatedCluster({ services: 1, endpoints: 40, nodes: 3 })
const [service] = cluster.services
const nodes = new Map<string, Node>(cluster.nodes.map((node) => [node.metadata?.name ?? '', node]))

/** Syncs, each with Pods that became absent, ready, unready or terminating. */
const syncs = fc.array(
  fc.array(fc.tuple(fc.nat({ max: 39 }), fc.constantFrom('gone', 'ready', 'unready', 'terminating')), {
    minLength: 1,
    maxLength: 12,
  }),
  { minLength: 1, maxLength: 15 },
)

/** Every policy but `noisy`, for which it matters which sync publishes a change. */
const BY_STATE = POLICY_NAMES.filter((policy) => policy !== 'noisy')

describe('a hinted sync', () => {
  it.each(BY_STATE)('writes what a full sync would, by %s', (policy) => {
    fc.assert(
      fc.property(syncs, fc.integer({ min: 2, max: 12 }), (sequence, maxEndpointsPerSlice) => {
        if (service === undefined) throw new Error('there is one')
        const context = { nodes, encoding: 'protobuf', maxEndpointsPerSlice } as const
        const [part, whole] = [POLICIES[policy](service, context), POLICIES[policy](service, context)]
        const pods = new Map<string, Pod>()
        let version = 1
        for (const sync of sequence) {
          const changed = sync.map(([number, state]) => {
            const pod = cluster.pods[number] ?? {}
            const name = pod.metadata?.name ?? ''
            if (state === 'gone') pods.delete(name)
            else {
              const after = { isReady: state !== 'unready', isTerminating: state === 'terminating' }
              pods.set(name, withState(pod, after, ++version))
            }
            return name
          })
          expect(part.publish(pods, [...new Set(changed)])).toEqual(whole.publish(pods))
          expect(part.endpoints).toBe(whole.endpoints)
          expect(part.objects).toBe(whole.objects)
        }
      }),
    )
  })
})
