export { decodeObject, encodeEvent, encodeObject, hasProtobuf } from './envelope.ts'
export { ProtobufError } from './errors.ts'
export { newWriter, type Writer } from './wire.ts'
