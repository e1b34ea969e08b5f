import type { OpenApi, OpenApiDocument } from '../../openapi/open-api.ts'
import { type Exchange, header } from '../exchange.ts'
import { acceptedType } from '../media-types.ts'
import { sendBytes, sendEmpty, sendText, setHeader } from '../respond.ts'

const JSON_TYPE = 'application/json'
const PROTOBUF_V2 = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
/** The name by which kubectl asks for it; a media type allows no `@`, so the answer has the other one. */
const PROTOBUF_V2_ASKED = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'

/** Serves `/openapi/v2`: JSON, or the protobuf of gnostic (kube-openapi's pkg/handler). */
export function serveOpenApiV2(exchange: Exchange, openApi: OpenApi): void {
  const { request, response } = exchange
  setHeader(response, 'vary', ['Accept-Encoding', 'Accept'])
  const type = acceptedType(header(request, 'accept'), [JSON_TYPE, PROTOBUF_V2_ASKED, PROTOBUF_V2])
  if (type === undefined) sendEmpty(exchange, 406)
  else if (isKnown(exchange, openApi.v2())) sendEmpty(exchange, 304)
  else if (type === JSON_TYPE) sendText(exchange, 200, openApi.v2().text, JSON_TYPE)
  else sendBytes(exchange, 200, openApi.v2Protobuf(), PROTOBUF_V2)
}

/** Serves `/openapi/v3` and the documents below it (kube-openapi's pkg/handler3). */
export function serveOpenApiV3(exchange: Exchange, openApi: OpenApi, name: string): void {
  if (name === '') sendText(exchange, 200, JSON.stringify(openApi.index()), 'text/plain; charset=utf-8')
  else {
    const document = openApi.v3(name)
    if (document) serveDocument(exchange, document)
    else sendEmpty(exchange, 404)
  }
}

function serveDocument(exchange: Exchange, document: OpenApiDocument): void {
  const { request, response, query, info } = exchange
  setHeader(response, 'vary', 'Accept')
  if (acceptedType(header(request, 'accept'), [JSON_TYPE]) === undefined) {
    sendEmpty(exchange, 406)
    return
  }
  const isCurrent = isKnown(exchange, document)
  const wanted = query.get('hash') ?? ''
  if (wanted !== '' && wanted !== document.hash) {
    setHeader(response, 'location', `${info.path}?hash=${document.hash}`)
    sendEmpty(exchange, 301)
    return
  }
  if (wanted !== '') {
    // The hash in the address is that of the content, which therefore never changes.
    setHeader(response, 'cache-control', 'public, immutable')
    setHeader(response, 'expires', inOneYear())
  }
  if (isCurrent) sendEmpty(exchange, 304)
  else sendText(exchange, 200, document.text, JSON_TYPE)
}

/** Names the document in the answer; true where the client has it already. */
function isKnown({ request, response }: Exchange, { hash }: OpenApiDocument): boolean {
  const tag = `"${hash}"`
  setHeader(response, 'etag', tag)
  const known = header(request, 'if-none-match').split(',')
  return known.some((item) => item.trim().replace(/^W\//, '') === tag || item.trim() === '*')
}

function inOneYear(): string {
  const date = new Date()
  date.setUTCFullYear(date.getUTCFullYear() + 1)
  return date.toUTCString()
}
