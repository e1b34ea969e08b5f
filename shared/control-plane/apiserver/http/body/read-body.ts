import { badRequest, entityTooLarge } from '../../../apimachinery/errors/factories.ts'
import { jsonText } from '../../../apimachinery/json/exact-numbers.ts'
import { nestingOf } from '../../../apimachinery/json/nesting.ts'
import { decodeObject } from '../../../apimachinery/protobuf/envelope.ts'
import { ProtobufError } from '../../../apimachinery/protobuf/errors.ts'
import { type Exchange, header, type Request } from '../exchange.ts'
import { unrecognized } from './parse-body.ts'

/** 3 MiB: larger bodies are refused. */
const BODY_LIMIT = 3 * 1024 * 1024
/** Maximum depth of objects and lists. APIs have some dozens; code that goes through them may recurse. */
const DEEPEST = 500

export interface RequestBody {
  readonly text: string
  /** Content type of the text. */
  readonly contentType: string
}

/** The client went away before it had sent its whole body, so there is no client to answer. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError'
}

/**
 * Reads the body as text; protobuf becomes the equivalent JSON. Throws a 413 above 3 MiB, a 400 for protobuf
 * that cannot be read and for JSON that is nested too deep, and ClientGoneError.
 * @param kind the kind that a protobuf body should have
 */
export async function readBody({ request }: Pick<Exchange, 'request'>, kind?: string): Promise<RequestBody> {
  const body = await receive(request)
  const contentType = header(request, 'content-type')
  if (body.length > 0 && contentType.startsWith('application/vnd.kubernetes.protobuf')) {
    return { text: shallow(jsonOf(body, kind)), contentType: 'application/json' }
  }
  return { text: shallow(body.toString('utf8')), contentType }
}

/** Receives a body. One too large is discarded, but received: clients may read the answer only then. */
function receive(request: Request): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= BODY_LIMIT) chunks.push(chunk)
      else {
        chunks = []
        reject(entityTooLarge(`limit is ${BODY_LIMIT}`))
      }
    })
    let isComplete = false
    const gone = (): void => {
      if (!isComplete) reject(new ClientGoneError('failed to read a body: the client went away'))
    }
    request.on('end', () => {
      isComplete = true
      resolve(Buffer.concat(chunks))
    })
    request.on('error', gone)
    request.on('close', gone)
  })
}

function shallow(text: string): string {
  if (nestingOf(text) > DEEPEST) throw badRequest(`failed to decode the body: exceeded max depth ${DEEPEST}`)
  return text
}

function jsonOf(body: Buffer, kind: string | undefined): string {
  try {
    return jsonText(decodeObject(body))
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error
    throw kind === undefined ? badRequest(error.message) : unrecognized(kind, error.message, body)
  }
}
