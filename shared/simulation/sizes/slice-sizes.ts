import type { Endpoint, EndpointSlice } from '../../endpointslice/index.ts'
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
 * Sizes of slices, each as encoded by the API server's own rules. Endpoints that take equal bytes are encoded once, and so is
 * what is around them; a test compares the sums with whole slices that are encoded.
 */
export interface SliceSizes {
  of(type: EventType, slice: EndpointSlice, version: number): ObjectSize
}

const TYPE = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' } as const
const FIELDS = { 'f:addressType': {}, 'f:endpoints': {}, 'f:ports': {} }
const WRITER = 'kube-controller-manager'

/** The slice as the API server keeps it. */
export const storedSlice = (slice: EndpointSlice, version: number) => ({
  ...slice,
  ...TYPE,
  metadata: storedMetadata(slice.metadata ?? {}, { version, fields: FIELDS, writer: WRITER }),
})

export function createSliceSizes(encoding: Encoding): SliceSizes {
  const endpoints = new Map<string, Bytes>()
  const heads = new Map<string, Bytes>()
  const empty = messageBytes({ ...TYPE, ...NOTHING, endpoints: [] }).protobuf

  function endpointBytes(endpoint: Endpoint): Bytes {
    const shape = endpointShape(endpoint)
    const known = endpoints.get(shape)
    if (known !== undefined) return known
    const bytes = {
      protobuf: messageBytes({ ...TYPE, ...NOTHING, endpoints: [endpoint] }).protobuf - empty,
      json: Buffer.byteLength(JSON.stringify(endpoint)),
    }
    endpoints.set(shape, bytes)
    return bytes
  }

  function headBytes(slice: EndpointSlice, version: number): Bytes {
    const shape = headShape(slice, version)
    const known = heads.get(shape)
    if (known !== undefined) return known
    const bytes = messageBytes(storedSlice({ ...slice, endpoints: [] }, version))
    heads.set(shape, bytes)
    return bytes
  }

  return {
    of(type, slice, version) {
      const head = headBytes(slice, version)
      let { protobuf, json } = head
      const items = slice.endpoints ?? []
      for (const endpoint of items) {
        const bytes = endpointBytes(endpoint)
        protobuf += bytes.protobuf
        json += bytes.json
      }
      return objectSize(encoding, type, TYPE, { protobuf, json: json + Math.max(0, items.length - 1) })
    },
  }
}

const NOTHING = { metadata: {}, addressType: 'IPv4', ports: [] }

/** Equal for endpoints that take equal bytes: all that they hold is ASCII. */
function endpointShape({
  addresses,
  conditions,
  targetRef,
  nodeName,
  zone,
  hostname,
  hints,
}: Endpoint): string {
  const { ready, serving, terminating } = conditions ?? {}
  const { namespace, name, uid } = targetRef ?? {}
  const rest = hints === undefined && addresses.length === 1 ? '' : JSON.stringify([addresses, hints])
  return `${addresses[0]?.length},${ready},${serving},${terminating},${namespace?.length},${name?.length},${uid?.length},${nodeName?.length},${zone?.length},${hostname?.length},${rest}`
}

/** Equal for slices of one Service that take equal bytes but for their endpoints. */
function headShape({ metadata, ports, addressType }: EndpointSlice, version: number): string {
  const { namespace, name, annotations, labels, uid } = metadata ?? {}
  return `${namespace?.length},${name?.length},${uid?.length},${String(version).length},${addressType},${JSON.stringify([annotations, labels, ports])}`
}
