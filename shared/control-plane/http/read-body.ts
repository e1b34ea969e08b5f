import { badRequest, entityTooLarge } from '../errors/index.ts'
import { decodeObject, ProtobufError } from '../protobuf/index.ts'
import { type Exchange, header } from './exchange.ts'

/** 3 MiB: larger bodies are refused. */
const BODY_LIMIT = 3 * 1024 * 1024

export interface RequestBody {
  readonly text: string
  /** What the text is. */
  readonly contentType: string
}

/** The body as text; protobuf is read as the JSON that says the same. Throws a 413 above 3 MiB and a 400 for protobuf that cannot be read. */
export async function readBody({ request }: Pick<Exchange, 'request'>): Promise<RequestBody> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    const bytes: Buffer = Buffer.from(chunk)
    size += bytes.length
    if (size <= BODY_LIMIT) chunks.push(bytes)
  }
  if (size > BODY_LIMIT) throw entityTooLarge(`limit is ${BODY_LIMIT}`)
  const body = Buffer.concat(chunks)
  const contentType = header(request, 'content-type')
  if (body.length > 0 && contentType.startsWith('application/vnd.kubernetes.protobuf')) {
    return { text: jsonOf(body), contentType: 'application/json' }
  }
  return { text: body.toString('utf8'), contentType }
}

function jsonOf(body: Buffer): string {
  try {
    return JSON.stringify(decodeObject(body))
  } catch (error) {
    if (error instanceof ProtobufError) throw badRequest(error.message)
    throw error
  }
}
