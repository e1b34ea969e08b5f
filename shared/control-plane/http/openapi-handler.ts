import type { OpenApi } from '../openapi/index.ts'
import type { Exchange } from './exchange.ts'
import { sendText, setHeader } from './respond.ts'

/** `/openapi/v3` and the documents below it. The older `/openapi/v2` is not served. */
export function serveOpenApi(
  exchange: Exchange,
  openApi: OpenApi,
  [version, ...rest]: readonly string[],
): void {
  if (version === 'v3' && rest.length === 0) {
    sendText(exchange, 200, JSON.stringify(openApi.index()), 'text/plain; charset=utf-8')
    return
  }
  const { response, query, info } = exchange
  const document = version === 'v3' ? openApi.document(rest.join('/')) : undefined
  if (!document) {
    response.statusCode = 404
    response.end()
    return
  }
  setHeader(response, 'etag', `"${document.hash}"`)
  setHeader(response, 'vary', 'Accept')
  const wanted = query.get('hash')
  if (wanted !== null && wanted !== document.hash) {
    setHeader(response, 'location', `${info.path}?hash=${document.hash}`)
    response.statusCode = 301
    response.end()
    return
  }
  if (wanted !== null) setHeader(response, 'cache-control', 'public, immutable')
  sendText(exchange, 200, document.text, 'application/json')
}
