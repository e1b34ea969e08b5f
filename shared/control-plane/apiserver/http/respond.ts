import { gzipSync } from 'node:zlib'
import { internal } from '../../apimachinery/errors/factories.ts'
import { ApiError, type Status } from '../../apimachinery/errors/status.ts'
import { type JsonObject, jsonText, parseJson } from '../../apimachinery/json/exact-numbers.ts'
import { encodeObject } from '../../apimachinery/protobuf/envelope.ts'
import { type Exchange, header, type Response } from './exchange.ts'
import { type Format, negotiate, PROTOBUF } from './media-types.ts'
import { toYaml } from './yaml/yaml.ts'

/** Bounds of upstream's apiserver/pkg/endpoints/filters/warning.go, in characters. */
const MOST_TOGETHER = 4 * 1024
const MOST_EACH = 256

/**
 * Returns the values of `Warning` headers, each text once. If they are too long together, each is cut, and
 * those that are still too many are left out. Texts with control characters are left out too. Characters
 * beyond ASCII are sent as UTF-8.
 */
export function warningHeaders(warnings: readonly string[]): string[] {
  const texts = [...new Set(warnings)].filter((text) => text !== '' && !CONTROL.test(text))
  const total = texts.reduce((sum, text) => sum + [...text].length, 0)
  const shown = total > MOST_TOGETHER ? withinBounds(texts) : texts
  return shown.map((text) => `299 - "${inLatin1(text.replaceAll(/["\\]/g, '\\$&'))}"`)
}

const CONTROL = /\p{Cc}/u

function withinBounds(texts: readonly string[]): string[] {
  const shown: string[] = []
  let length = 0
  for (const text of texts) {
    if (length >= MOST_TOGETHER) break
    const characters = [...text].slice(0, MOST_EACH)
    length += characters.length
    shown.push(characters.join(''))
  }
  return shown
}

/** Encodes UTF-8 in characters. Node writes each character of a header as a byte. */
const inLatin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

/** Bodies from this size on are compressed for clients that accept it. */
const COMPRESS_FROM = 128 * 1024

interface Answer {
  readonly code: number
  /** JSON text. */
  readonly body: string
  readonly contentType?: string
}

/** Sends a JSON text in the format and style that the client asked for. */
export function send(exchange: Exchange, { code, body, contentType }: Answer): void {
  if (isAnswered(exchange)) return
  setWarnings(exchange)
  const protobuf = header(exchange.request, 'accept').includes(PROTOBUF)
    ? encodeObject(parseJson<JsonObject>(body))
    : undefined
  const format = formatOf(exchange, protobuf !== undefined)
  if (format === 'protobuf' && protobuf !== undefined) sendBytes(exchange, code, protobuf, PROTOBUF)
  else {
    const text = format === 'yaml' ? toYaml(parseJson(body)) : prettyIfWanted(exchange, body)
    sendText(exchange, code, text, contentType ?? `application/${format}`)
  }
}

/** Sends a text as it is. */
export function sendText(exchange: Exchange, code: number, text: string, contentType: string): void {
  sendBytes(exchange, code, Buffer.from(text), contentType)
}

/** Sends bytes as they are, compressed where they are many and the client takes that. */
export function sendBytes(exchange: Exchange, code: number, bytes: Uint8Array, contentType: string): void {
  if (isAnswered(exchange)) return
  const { request, response } = exchange
  const encodings = header(request, 'accept-encoding').split(',')
  // With a quality behind it `gzip` does not count, as upstream.
  const takesGzip = encodings.some((encoding) => encoding.trim() === 'gzip')
  const compressed = bytes.length >= COMPRESS_FROM && takesGzip
  const payload = compressed ? gzipSync(bytes, { level: 1 }) : bytes
  if (compressed) setHeader(response, 'content-encoding', 'gzip')
  if (compressed) addVary(response, 'Accept-Encoding')
  setHeader(response, 'content-type', contentType)
  whenDurable(exchange, () => finish(exchange, code, payload))
}

/** Reports whether the request is answered. The time limit may have been quicker than the handler. */
function isAnswered({ response }: Exchange): boolean {
  return response.headersSent
}

/** Answers once a write is durable: nothing is acknowledged or shown that a crash could undo. */
function whenDurable(exchange: Exchange, answer: () => void): void {
  const durable = exchange.durable()
  if (durable === undefined) answer()
  else void durable.then(answer, (error: unknown) => failStorage(exchange, error))
}

function failStorage(exchange: Exchange, error: unknown): void {
  const failure = error instanceof ApiError ? error : internal(String(error))
  exchange.response.removeHeader('content-encoding')
  setHeader(exchange.response, 'content-type', 'application/json')
  finish(exchange, failure.code, Buffer.from(JSON.stringify(failure.status)))
}

function finish(exchange: Exchange, code: number, payload: Uint8Array): void {
  if (isAnswered(exchange)) return
  const { request, response } = exchange
  setHeader(response, 'content-length', String(payload.length))
  response.statusCode = code
  if (request.method === 'HEAD') response.end()
  else response.end(payload)
}

/** Answers a failure with its Status. */
export function sendError(exchange: Exchange, error: ApiError): void {
  const { retryAfterSeconds = error.code === 504 || error.code === 429 ? 1 : 0 } = error.details ?? {}
  if (retryAfterSeconds > 0) setHeader(exchange.response, 'retry-after', String(retryAfterSeconds))
  sendStatus(exchange, error.code, error.status)
}

/** Answers with a code alone. */
export function sendEmpty({ response }: Exchange, code: number): void {
  response.statusCode = code
  response.end()
}

function addVary(response: Response, name: string): void {
  const names = [response.getHeader('vary') ?? []].flat().map(String)
  if (!names.includes(name)) setHeader(response, 'vary', [...names, name])
}

export function sendStatus(exchange: Exchange, code: number, status: Status): void {
  send(exchange, { code, body: JSON.stringify(status) })
}

export function setHeader(response: Response, name: string, value: string | string[]): void {
  response.setHeader(name, value)
}

/** Adds the warnings to the headers of the response. */
export function setWarnings({ response, warnings }: Exchange): void {
  if (warnings.length === 0) return
  setHeader(response, 'warning', warningHeaders(warnings))
}

function formatOf({ request }: Exchange, offersProtobuf: boolean): Format {
  try {
    return negotiate(header(request, 'accept'), { protobuf: offersProtobuf }).format
  } catch (error) {
    if (error instanceof ApiError) return header(request, 'accept').includes('yaml') ? 'yaml' : 'json'
    throw error
  }
}

/** Browsers and curl get indented JSON, as with `pretty=true` or `application/json;pretty=1`. */
function prettyIfWanted({ request, query }: Exchange, body: string): string {
  const pretty = query.get('pretty')
  const browser = /^(curl|Wget|Mozilla)/.test(header(request, 'user-agent'))
  const asked = pretty === null ? browser : pretty !== '0' && pretty !== 'false'
  const wanted = asked || /;\s*pretty=1\b/.test(header(request, 'accept'))
  return wanted ? jsonText(parseJson(body), 2) : `${body}\n`
}

export function sendJson(exchange: Exchange, body: JsonObject): void {
  send(exchange, { code: 200, body: jsonText(body) })
}

/** Answers paths at which nothing is registered. */
export function sendPageNotFound(exchange: Exchange): void {
  setHeader(exchange.response, 'x-content-type-options', 'nosniff')
  sendText(exchange, 404, '404 page not found\n', 'text/plain; charset=utf-8')
}
