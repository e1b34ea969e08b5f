import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'

/** Headers of one connection only (RFC 9110, section 7.6.1), with older ones that are still in use. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
/** Between client and this server: credentials, whom it asks to be, and what was answered already. */
const OWN = new Set(['authorization', 'expect', 'host'])
const OWN_PREFIXES = [':', 'impersonate-', 'x-remote-']
/** Upstream leaves it to itself who may read from other origins. */
const CROSS_ORIGIN = new Set([
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
])

/**
 * Returns the headers of a request that another server may see. The user is sent by other means: neither what
 * a client says about that nor its credentials are ever passed on.
 */
export function requestHeaders(request: IncomingMessage): OutgoingHttpHeaders {
  return collect(request, (name) => OWN.has(name) || OWN_PREFIXES.some((prefix) => name.startsWith(prefix)))
}

/** Returns the headers of another server's answer that the client may see. */
export function responseHeaders(response: IncomingMessage): OutgoingHttpHeaders {
  return collect(response, (name) => CROSS_ORIGIN.has(name))
}

function collect(message: IncomingMessage, isLeftOut: (name: string) => boolean): OutgoingHttpHeaders {
  const named = new Set((message.headers.connection ?? '').toLowerCase().split(/\s*,\s*/))
  const collected = new Map<string, string[]>()
  for (let index = 0; index < message.rawHeaders.length; index += 2) {
    const name = (message.rawHeaders[index] ?? '').toLowerCase()
    if (HOP_BY_HOP.has(name) || named.has(name) || isLeftOut(name)) continue
    collected.set(name, [...(collected.get(name) ?? []), message.rawHeaders[index + 1] ?? ''])
  }
  const single = ([name, lines]: [string, string[]]) => [name, lines.length === 1 ? lines[0] : lines] as const
  return Object.fromEntries([...collected].map(single))
}
