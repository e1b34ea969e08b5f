import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ANNOTATION_NETWORK_STATUS,
  explain,
  type Pod,
  plan,
  podForPlanning,
  podsOnNetwork,
  type ServicePort,
  TriggerTimeTracker,
} from '../index.ts'
import { mutated } from '../malformed.fixtures.ts'
import { applied, aService, deepFreeze, NODES } from '../plan.fixtures.ts'

/** Makes a pod with something in every field that a plan may read, and in some that none does. */
const wholePod = (number: number): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: `p-${number}`,
    namespace: 'shop',
    uid: `uid-${number}`,
    resourceVersion: String(number),
    labels: { app: 'web' },
    annotations: {
      note: 'x'.repeat(50),
      [ANNOTATION_NETWORK_STATUS]: JSON.stringify([{ name: 'shop/fast', ips: [`10.9.0.${number}`] }]),
    },
    ...(number % 3 === 0 && { deletionTimestamp: '2026-03-01T12:00:00Z' }),
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'uid-web' }],
    managedFields: [{ manager: 'kubelet', operation: 'Update', fieldsV1: { 'f:status': {} } }],
  },
  spec: {
    nodeName: number % 2 === 0 ? 'node-a' : 'node-b',
    hostname: `h-${number}`,
    subdomain: 'web',
    serviceAccountName: 'web',
    initContainers: [
      { name: 'setup', ports: [{ name: 'http', containerPort: 1 }] },
      { name: 'proxy', restartPolicy: 'Always', ports: [{ name: 'mesh', containerPort: 15001 + number }] },
    ],
    containers: [
      { name: 'log', image: 'log:1' },
      { name: 'app', ports: [{ containerPort: 1 }, { name: 'http', containerPort: 8080, protocol: 'TCP' }] },
      { name: 'dns', ports: [{ name: 'http', containerPort: 53, protocol: 'UDP' }] },
    ],
  },
  status: {
    phase: number === 4 ? 'Succeeded' : 'Running',
    hostIP: '192.168.0.1',
    podIP: `10.0.0.${number}`,
    podIPs: [{ ip: `10.0.0.${number}` }, { ip: `fd00::${number}` }],
    conditions: [
      { type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' },
      {
        type: 'Ready',
        status: number === 5 ? 'False' : 'True',
        reason: 'Fine',
        lastTransitionTime: `2026-01-01T00:00:0${number}Z`,
      },
    ],
    containerStatuses: [
      { name: 'app', ready: true, restartCount: 0, image: 'web:1', imageID: 'sha256:0', started: true },
    ],
  },
})

const pods = fc.tuple(
  ...[1, 2, 3, 4, 5].map((number) => fc.oneof(fc.constant(wholePod(number)), mutated(wholePod(number)))),
)

const port = (name: string, targetPort: string | number, protocol = 'TCP'): ServicePort => ({
  name,
  port: 80,
  targetPort,
  protocol,
})
const services = fc
  .record({
    ports: fc.subarray([
      port('http', 'http'),
      port('dns', 'http', 'UDP'),
      port('mesh', 'mesh'),
      port('n', 9000),
    ]),
    ipFamilies: fc.constantFrom<string[][]>(['IPv4'], ['IPv4', 'IPv6']),
    publishNotReadyAddresses: fc.boolean(),
  })
  .map((spec) => aService(spec))

describe('a pod for planning', () => {
  it('is planned, explained and found on its networks as the whole pod is, be it malformed', () => {
    fc.assert(
      fc.property(services, pods, pods, (service, before, after) => {
        deepFreeze([before, after])
        const slices = applied([], plan({ service, pods: before, nodes: NODES, slices: [] }))
        const seen = (some: readonly Pod[]) => {
          const state = { service, pods: some, nodes: NODES, slices }
          const onNetwork = () => {
            const { pods: attached, unattached, skipped } = podsOnNetwork(some, 'fast')
            const names = unattached.map(({ metadata }) => metadata?.name)
            return { planned: plan({ ...state, pods: attached }), names, skipped }
          }
          return {
            planned: plan(state),
            explained: outcomeOf(() => explain(state)),
            onNetwork: outcomeOf(onNetwork),
          }
        }
        expect(seen(after.map(podForPlanning))).toEqual(seen(after))
      }),
      { numRuns: 300 },
    )
  })

  it('has the time of its last change of readiness', () => {
    const whole = [1, 2, 4].map(wholePod)
    const next = (some: readonly Pod[]) => {
      const tracker = new TriggerTimeTracker()
      tracker.next(aService(), [])
      return tracker.next(aService(), some)
    }
    expect(next(whole.map(podForPlanning))).toBe('2026-01-01T00:00:01.000Z')
    expect(next(whole)).toBe('2026-01-01T00:00:01.000Z')
  })

  it('keeps its version and labels, and nothing that no plan reads', () => {
    expect(podForPlanning(wholePod(1))).toEqual({
      metadata: {
        name: 'p-1',
        namespace: 'shop',
        uid: 'uid-1',
        resourceVersion: '1',
        labels: { app: 'web' },
        annotations: { [ANNOTATION_NETWORK_STATUS]: '[{"name":"shop/fast","ips":["10.9.0.1"]}]' },
      },
      spec: {
        nodeName: 'node-b',
        hostname: 'h-1',
        subdomain: 'web',
        initContainers: [
          { name: 'proxy', restartPolicy: 'Always', ports: [{ name: 'mesh', containerPort: 15002 }] },
        ],
        containers: [
          { name: 'app', ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }] },
          { name: 'dns', ports: [{ name: 'http', containerPort: 53, protocol: 'UDP' }] },
        ],
      },
      status: {
        phase: 'Running',
        podIP: '10.0.0.1',
        podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }],
        conditions: [
          { type: 'Ready', status: 'True', reason: 'Fine', lastTransitionTime: '2026-01-01T00:00:01Z' },
        ],
      },
    })
  })

  it('is the pod itself where that has a fault, so that what is said of it stays the same', () => {
    const broken = { ...wholePod(1), spec: { containers: [{ name: 'app', ports: 7 }] } } as unknown as Pod
    expect(podForPlanning(broken)).toBe(broken)
  })
})

/**
 * Returns what a function returns, or what it throws: explain() and podsOnNetwork() throw for some malformed
 * pods.
 */
function outcomeOf(of: () => unknown): unknown {
  try {
    return of()
  } catch (error) {
    return String(error)
  }
}
