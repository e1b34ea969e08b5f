export {
  type AddressSum,
  createEndpointsSizes,
  type EndpointAddress,
  type EndpointsSizes,
  storedEndpoints,
} from './endpoints-sizes.ts'
export { type Bytes, ENCODINGS, type Encoding, type EventType, type ObjectSize } from './object-size.ts'
export {
  createSliceSizes,
  type EndpointsSum,
  NO_ENDPOINTS,
  type SliceSizes,
  storedSlice,
} from './slice-sizes.ts'
