import type { ObjectMeta } from '../../endpointslice/index.ts'
import {
  type Bytes,
  type Encoding,
  type EventType,
  fieldBytes,
  messageBytes,
  type ObjectSize,
  objectSize,
} from './object-size.ts'
import { storedMetadata } from './stored-metadata.ts'

/** An address of a v1 Endpoints object, in the form of the endpoints controller. */
export interface EndpointAddress {
  readonly ip: string
  readonly nodeName?: string
  readonly targetRef: {
    readonly kind: 'Pod'
    readonly namespace: string
    readonly name: string
    readonly uid: string
  }
}

/** Number and bytes of the addresses of one kind, ready or not ready. */
export interface AddressSum extends Bytes {
  readonly count: number
}

/** Sizes of v1 Endpoints of any length, computed without storing their addresses. */
export interface EndpointsSizes {
  ofAddress(address: EndpointAddress): Bytes
  of(type: EventType, version: number, ready: AddressSum, notReady: AddressSum): ObjectSize
}

const TYPE = { apiVersion: 'v1', kind: 'Endpoints' } as const
const PORTS = [{ name: 'http', port: 8080, protocol: 'TCP' }]

/**
 * Returns the object as the API server stores it.
 * @param subsets none, or the one of all addresses without its ports
 */
export const storedEndpoints = (metadata: ObjectMeta, version: number, subsets: readonly object[]) => ({
  ...TYPE,
  metadata: storedMetadata(
    {
      ...metadata,
      annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': '2026-01-01T00:00:00Z' },
      labels: { 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' },
    },
    { version, fields: { 'f:subsets': {} }, writer: 'kube-controller-manager' },
  ),
  subsets: subsets.map((subset) => ({ ...subset, ports: PORTS })),
})

/** Number of sample addresses: enough that one more does not change the length of any prefix. */
const SOME = 10

export function createEndpointsSizes(encoding: Encoding, metadata: ObjectMeta): EndpointsSizes {
  const addresses = new Map<string, Bytes>()
  const ports =
    messageBytes({ ...TYPE, subsets: [{ ports: PORTS }] }).protobuf - messageBytes(TYPE).protobuf - 2

  return {
    ofAddress(address) {
      const { ip, nodeName, targetRef } = address
      const shape = [ip, nodeName, targetRef.namespace, targetRef.name, targetRef.uid]
        .map((text) => text?.length)
        .join()
      const bytes = addresses.get(shape) ?? addressBytes(address)
      addresses.set(shape, bytes)
      return bytes
    },
    of(type, version, ready, notReady) {
      const isEmpty = ready.count + notReady.count === 0
      const head = messageBytes(storedEndpoints(metadata, version, isEmpty ? [] : [{}]))
      const withPorts = isEmpty ? 0 : fieldBytes(ports)
      const subset = isEmpty ? 0 : fieldBytes(ports + ready.protobuf + notReady.protobuf)
      return objectSize(encoding, type, TYPE, {
        protobuf: head.protobuf - withPorts + subset,
        json: head.json + jsonList('addresses', ready) + jsonList('notReadyAddresses', notReady),
      })
    },
  }
}

function addressBytes(address: EndpointAddress): Bytes {
  const of = (count: number): number =>
    messageBytes({ ...TYPE, subsets: [{ addresses: Array(count).fill(address) }] }).protobuf
  return { protobuf: of(SOME + 1) - of(SOME), json: JSON.stringify(address).length }
}

const jsonList = (name: string, { count, json }: AddressSum): number =>
  count === 0 ? 0 : `"${name}":[],`.length + json + count - 1
