/** Bytes that are not the protobuf form of the object that they should be; the message says why. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError'
}
