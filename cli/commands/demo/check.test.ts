import { describe, expect, it } from 'vitest'
import { differencesOf } from './check.ts'
import { makeNode, makePod, makeService, readiness } from './objects.ts'

const RULES = { managedBy: 'sliceflow.dev', maxEndpointsPerSlice: 2 }
const pod = (name: string, podIP: string, ready = true) => ({
  ...makePod({ name, labels: { app: 'web' }, nodeName: 'node-1' }),
  status: { podIP, ...readiness(ready) },
})
const endpoint = (name: string, address: string, ready = true) => ({
  ...{ addresses: [address], conditions: { ready }, zone: 'zone-a', targetRef: { kind: 'Pod', name } },
})
const objects = {
  services: [makeService('web', 'app=web')],
  nodes: [makeNode('node-1', 'zone-a')],
  pods: [pod('web-1', '10.1.0.1'), pod('web-2', '10.1.0.2', false)],
}
const RIGHT = [endpoint('web-1', '10.1.0.1'), endpoint('web-2', '10.1.0.2', false)]

describe('the independent computation of the demo', () => {
  it.each([
    ['what is right', RIGHT, []],
    ['a missing endpoint', RIGHT.slice(1), [/address 10.1.0.1, .* is missing/]],
    ['another readiness', [RIGHT[0], endpoint('web-2', '10.1.0.2')], [/missing/, /should not be there/]],
    [
      'an endpoint of no Pod',
      [...RIGHT, endpoint('web-3', '10.1.0.3')],
      [/should not be there/, /too large/],
    ],
    ['one that is there twice', [...RIGHT, RIGHT[0]], [/is there twice/, /too large/]],
  ])('of %s finds %j %j', (_, endpoints, wanted) => {
    const labels = {
      'kubernetes.io/service-name': 'web',
      'endpointslice.kubernetes.io/managed-by': 'sliceflow.dev',
    }
    const slice = { metadata: { name: 'web-a', labels }, addressType: 'IPv4', endpoints, ports: [] }
    const found = differencesOf({ ...objects, slices: [slice as never] }, RULES)
    expect(found).toEqual(wanted.map((pattern) => expect.stringMatching(pattern)))
  })
})
