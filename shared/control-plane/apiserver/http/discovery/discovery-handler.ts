import { noSuchResource } from '../../../apimachinery/errors/factories.ts'
import { type Exchange, header } from '../exchange.ts'
import { wantsAggregatedDiscovery } from '../media-types.ts'
import { send, sendJson, sendPageNotFound, setHeader } from '../respond.ts'
import { type Discovery, entityTag } from './discovery.ts'

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/**
 * Serves `/api`, `/apis` and the paths below them.
 * @param parts group and version, as far as the path has them; the core group is empty
 */
export function serveDiscovery(exchange: Exchange, discovery: Discovery, parts: readonly string[]): void {
  const [group, version] = parts
  if (group === undefined || (group === '' && version === undefined)) {
    serveRoot(exchange, discovery, group === '')
    return
  }
  const document = version === undefined ? discovery.group(group) : discovery.resources(group, version)
  if (document) sendJson(exchange, document)
  // A group that is not registered has no handler at all; an unknown version of a known group has one
  // that finds nothing.
  else if (discovery.hasGroup(group)) throw noSuchResource()
  else sendPageNotFound(exchange)
}

function serveRoot(exchange: Exchange, discovery: Discovery, core: boolean): void {
  const { request, response } = exchange
  setHeader(response, 'vary', 'Accept')
  if (!wantsAggregatedDiscovery(header(request, 'accept'))) {
    const address = header(request, 'host') || header(request, ':authority')
    sendJson(exchange, core ? discovery.versions(address) : discovery.groups())
    return
  }
  const body = JSON.stringify(discovery.aggregated(core))
  const tag = entityTag(body)
  setHeader(response, 'etag', tag)
  setHeader(response, 'cache-control', 'public')
  if (header(request, 'if-none-match') === tag) {
    response.statusCode = 304
    response.end()
  } else send(exchange, { code: 200, body, contentType: AGGREGATED })
}
