import { describe, expect, it } from 'vitest'
import { encodeEvent, encodeObject } from '../../control-plane/index.ts'
import { plan } from '../../endpointslice/index.ts'
import { createSimulatedCluster, withState } from '../workloads/index.ts'
import {
  type AddressSum,
  createEndpointsSizes,
  createSliceSizes,
  type EndpointAddress,
  storedEndpoints,
  storedSlice,
} from './index.ts'

const cluster = createSimulatedCluster({ services: 1, endpoints: 330, nodes: 1234 })
const [service] = cluster.services
const pods = cluster.pods.map((pod, index) =>
  withState(pod, { isReady: index % 7 > 0, isTerminating: index % 11 === 0 }, index),
)

describe('sizes of slices', () => {
  it.each([1, 9, 100, 200])('are those of what the API server encodes, with %i endpoints a slice', (max) => {
    if (service === undefined) throw new Error('there is one')
    const { create } = plan(
      { service, pods, nodes: cluster.nodes, slices: [] },
      { maxEndpointsPerSlice: max },
    )
    for (const [index, slice] of create.slice(0, 20).entries()) {
      const version = 10 ** (index % 7)
      const stored = storedSlice(slice, version) as unknown as Parameters<typeof encodeEvent>[1]
      expect(createSliceSizes('protobuf').of('ADDED', slice, version)).toEqual({
        stored: encodeObject(stored)?.length,
        sent: encodeEvent('ADDED', stored).length,
      })
      expect(createSliceSizes('json').of('MODIFIED', slice, version)).toEqual({
        stored: encodeObject(stored)?.length,
        sent: `${JSON.stringify({ type: 'MODIFIED', object: stored })}\n`.length,
      })
    }
  })

  it('are the same with and without shapes', () => {
    if (service === undefined) throw new Error('there is one')
    const { create } = plan({ service, pods, nodes: cluster.nodes, slices: [] })
    const sizes = createSliceSizes('protobuf')
    for (const slice of create) {
      expect(sizes.of('ADDED', slice, 5)).toEqual(createSliceSizes('protobuf').of('ADDED', slice, 5))
    }
  })
})

describe('sizes of Endpoints', () => {
  const metadata = { name: 'web', namespace: 'shop' }
  const address = (number: number): EndpointAddress => ({
    ip: `10.0.${number}.7`,
    nodeName: `node-${number}`,
    targetRef: { kind: 'Pod', namespace: 'shop', name: `web-${number}`, uid: `uid-${number}` },
  })

  it.each([
    [0, 0],
    [1, 0],
    [0, 1],
    [3, 2],
    [150, 40],
  ])('are those of what the API server encodes, with %i ready and %i other addresses', (ready, other) => {
    for (const encoding of ['protobuf', 'json'] as const) {
      const sizes = createEndpointsSizes(encoding, metadata)
      const lists = [ready, other].map((count) => Array.from({ length: count }, (_, index) => address(index)))
      const [readySum, otherSum] = lists.map((list) =>
        list.map(sizes.ofAddress).reduce<AddressSum>(
          (sum, { protobuf, json }) => ({
            count: sum.count + 1,
            protobuf: sum.protobuf + protobuf,
            json: sum.json + json,
          }),
          { count: 0, protobuf: 0, json: 0 },
        ),
      )
      const [addresses, notReadyAddresses] = lists
      const subset = { ...(ready > 0 && { addresses }), ...(other > 0 && { notReadyAddresses }) }
      const stored = storedEndpoints(metadata, 7, ready + other > 0 ? [subset] : [])
      const object = stored as unknown as Parameters<typeof encodeEvent>[1]
      if (readySum === undefined || otherSum === undefined) throw new Error('there are two')
      expect(sizes.of('MODIFIED', 7, readySum, otherSum)).toEqual({
        stored: encodeObject(object)?.length,
        sent:
          encoding === 'json'
            ? `${JSON.stringify({ type: 'MODIFIED', object })}\n`.length
            : encodeEvent('MODIFIED', object).length,
      })
    }
  })
})
