export { decodeObject, encodeEvent, encodeObject, hasProtobuf } from './envelope.ts'
export { ProtobufError } from './errors.ts'
