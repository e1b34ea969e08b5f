import { expect, it } from 'vitest'
import { type EndpointSlice, type Pod, plan } from '../index.ts'
import { aPod, applied, aService, NODES } from '../plan.fixtures.ts'

const service = aService(
  { ports: [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 'web' }] },
  { annotations: { 'service.kubernetes.io/topology-mode': 'Auto' } },
)
const pod = (number: number, containerPort: number, node = 'node-a'): Pod =>
  aPod(`p-${number}`, {
    ips: [`10.0.0.${number}`],
    node,
    spec: { containers: [{ name: 'app', ports: [{ name: 'web', containerPort, protocol: 'TCP' }] }] },
  })

/** Makes a slice of these pods, each hinted to its own zone. */
function sliceOf(name: string, pods: readonly Pod[]): EndpointSlice {
  const [slice] = applied([], plan({ service, pods, nodes: NODES, slices: [] }))
  if (slice === undefined) throw new Error('failed to plan a slice')
  const endpoints = slice.endpoints?.map((each) => ({
    ...each,
    hints: { forZones: [{ name: each.zone ?? '' }] },
  }))
  return { ...slice, metadata: { ...slice.metadata, name }, endpoints }
}

it('hints are dealt out in the order of the slices given, whatever their ports: the last one that is too many is written', () => {
  const pods = [[pod(1, 8080), pod(2, 8080, 'node-b')], [pod(3, 9090)], [pod(4, 8080)]]
  const slices = pods.map((each, index) => sliceOf(`web-${index}`, each))
  const {
    create,
    update,
    delete: removed,
  } = plan({ service, pods: pods.flat(), nodes: NODES, slices }, { maxEndpointsPerSlice: 2 })
  expect([create, removed]).toEqual([[], []])
  const hints = update.map(({ metadata, endpoints }) => [metadata?.name, endpoints?.[0]?.hints?.forZones])
  expect(hints).toEqual([['web-2', [{ name: 'zone-b' }]]])
})
