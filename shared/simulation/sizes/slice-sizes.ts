import { seal } from '../../changes/index.ts'
import type { Endpoint, EndpointSlice } from '../../endpointslice/index.ts'
import { createShapes } from './endpoint-shapes.ts'
import {
  type Bytes,
  type Encoding,
  type EventType,
  messageBytes,
  type ObjectSize,
  objectSize,
} from './object-size.ts'
import { storedMetadata } from './stored-metadata.ts'

/**
 * Sizes of slices, encoded by the API server's rules. Each shape of endpoint and of envelope is encoded once.
 * A test compares the sums with completely encoded slices.
 */
export interface SliceSizes {
  endpoint(endpoint: Endpoint): Bytes
  /** @param endpoints the sum over the slice's endpoints, if known; default: computed */
  of(type: EventType, slice: EndpointSlice, version: number, endpoints?: EndpointsSum): ObjectSize
}

/** Number and bytes of endpoints. */
export interface EndpointsSum extends Bytes {
  readonly count: number
}

export const NO_ENDPOINTS: EndpointsSum = { count: 0, protobuf: 0, json: 0 }

interface SliceSizesOptions {
  /** Whether slices have Sliceflow's seal; default false. */
  readonly isSealed?: boolean | undefined
}

const TYPE = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' } as const
const FIELDS = { 'f:addressType': {}, 'f:endpoints': {}, 'f:ports': {} }
const WRITER = 'kube-controller-manager'

/** Returns the slice as the API server stores it. */
export const storedSlice = (slice: EndpointSlice, version: number) => ({
  ...slice,
  ...TYPE,
  metadata: storedMetadata(slice.metadata ?? {}, { version, fields: FIELDS, writer: WRITER }),
})

export function createSliceSizes(
  encoding: Encoding,
  { isSealed = false }: SliceSizesOptions = {},
): SliceSizes {
  const endpoints = createShapes()
  const heads = new Map<string, Bytes>()
  const nothing = messageBytes({ ...TYPE, ...NOTHING, endpoints: [] }).protobuf

  function endpointBytes(endpoint: Endpoint): Bytes {
    return endpoints.bytesOf(endpoint, () => ({
      protobuf: messageBytes({ ...TYPE, ...NOTHING, endpoints: [endpoint] }).protobuf - nothing,
      json: Buffer.byteLength(JSON.stringify(endpoint)),
    }))
  }

  function headBytes(slice: EndpointSlice, version: number): Bytes {
    const shape = headShape(slice, version)
    const known = heads.get(shape)
    if (known !== undefined) return known
    const empty = { ...slice, endpoints: [] }
    const bytes = messageBytes(storedSlice(isSealed ? seal(empty) : empty, version))
    heads.set(shape, bytes)
    return bytes
  }

  const sumOf = (items: readonly Endpoint[]): EndpointsSum =>
    items.map(endpointBytes).reduce<EndpointsSum>(
      (sum, { protobuf, json }) => ({
        count: sum.count + 1,
        protobuf: sum.protobuf + protobuf,
        json: sum.json + json,
      }),
      NO_ENDPOINTS,
    )

  return {
    endpoint: endpointBytes,
    of(type, slice, version, endpoints = sumOf(slice.endpoints ?? [])) {
      const head = headBytes(slice, version)
      return objectSize(encoding, type, TYPE, {
        protobuf: head.protobuf + endpoints.protobuf,
        json: head.json + endpoints.json + Math.max(0, endpoints.count - 1),
      })
    },
  }
}

const NOTHING = { metadata: {}, addressType: 'IPv4', ports: [] }

/** Returns a string that is equal for slices of one Service whose sizes without endpoints are equal. */
function headShape({ metadata, ports, addressType }: EndpointSlice, version: number): string {
  const { namespace, name, annotations, labels, uid } = metadata ?? {}
  return `${namespace?.length},${name?.length},${uid?.length},${String(version).length},${addressType},${JSON.stringify([annotations, labels, ports])}`
}
