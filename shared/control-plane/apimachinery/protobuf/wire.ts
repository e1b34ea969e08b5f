import { createRequire } from 'node:module'
import type protobuf from 'protobufjs/minimal.js'

export type Reader = protobuf.Reader
export type Writer = protobuf.Writer

const load = createRequire(import.meta.url)
const library = (): typeof protobuf => load('protobufjs/minimal.js')

/** Reads the wire format. Its library is loaded with the first message: no start of a server needs it. */
export const readerOf = (bytes: Uint8Array): Reader => library().Reader.create(bytes)

export const newWriter = (): Writer => library().Writer.create()
