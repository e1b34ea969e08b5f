import { BlockList, isIP, SocketAddress } from 'node:net'
import { domainToASCII } from 'node:url'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns the proxy that the environment names for a server, as Go finds it
 * (golang.org/x/net/http/httpproxy): HTTPS_PROXY, or HTTP_PROXY for a server without TLS, unless NO_PROXY has
 * the server. Libraries of npm know neither networks nor all ports in NO_PROXY.
 */
export function environmentProxy(server: URL, env: Environment): URL | undefined {
  const proxy = parseProxy(server.protocol === 'https:' ? either(env, 'HTTPS_PROXY') : httpProxyOf(env))
  if (proxy === undefined) return undefined
  const host = server.hostname.replace(/^\[|\]$/g, '').toLowerCase()
  const port = server.port || (server.protocol === 'https:' ? '443' : '80')
  return isDirect(host, port, either(env, 'NO_PROXY')) ? undefined : proxy
}

const either = (env: Environment, name: string): string => env[name] || env[name.toLowerCase()] || ''

/** A CGI program has its requests' `Proxy` header there (golang.org/s/cgihttpproxy). */
const httpProxyOf = (env: Environment): string => (env.REQUEST_METHOD ? '' : either(env, 'HTTP_PROXY'))

/** host:port is a proxy over http. */
function parseProxy(text: string): URL | undefined {
  if (text === '') return undefined
  const url = URL.parse(text)
  return url === null || url.host === '' ? (URL.parse(`http://${text}`) ?? undefined) : url
}

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

function isDirect(host: string, port: string, noProxy: string): boolean {
  const family = familyOf(host)
  if (host === 'localhost' || (family !== undefined && LOOPBACK.check(host, family))) return true
  const rules = noProxy.split(',').map((rule) => rule.trim().toLowerCase())
  return rules.some((rule) => rule === '*' || matches(rule, host, port))
}

function matches(rule: string, host: string, port: string): boolean {
  const family = familyOf(host)
  const cidr = /^(.+)\/(\d{1,3})$/.exec(rule)
  if (cidr !== null) return family !== undefined && inSubnet(host, cidr[1] ?? '', Number(cidr[2]))
  const { name, only } = splitPort(rule)
  if (name === '' || (only !== undefined && only !== port)) return false
  if (familyOf(name) !== undefined) return family !== undefined && isSameAddress(name, host)
  return family === undefined && isInDomain(host, name)
}

function splitPort(rule: string): { readonly name: string; readonly only?: string } {
  const [, bracketed, plain, only] = /^(?:\[(.*)\]|([^:]*)):(\w+)$/.exec(rule) ?? []
  return only === undefined ? { name: rule } : { name: bracketed ?? plain ?? '', only }
}

/** foo.com has itself and its subdomains, .foo.com and *.foo.com only these. */
function isInDomain(host: string, rule: string): boolean {
  const name = rule.replace(/^\*(?=\.)/, '')
  const domain = `.${domainToASCII(name.replace(/^\./, '')) || name.replace(/^\./, '')}`
  return host.endsWith(domain) || (!name.startsWith('.') && host === domain.slice(1))
}

function inSubnet(host: string, network: string, prefix: number): boolean {
  const family = familyOf(network)
  if (family === undefined || familyOf(host) !== family || prefix > (family === 'ipv4' ? 32 : 128))
    return false
  const list = new BlockList()
  list.addSubnet(network, prefix, family)
  return list.check(host, family)
}

function isSameAddress(one: string, other: string): boolean {
  const [family, ofOther] = [familyOf(one), familyOf(other)]
  if (family === undefined || family !== ofOther) return false
  return (
    new SocketAddress({ address: one, family }).address ===
    new SocketAddress({ address: other, family }).address
  )
}

const familyOf = (host: string): 'ipv4' | 'ipv6' | undefined =>
  (({ 4: 'ipv4', 6: 'ipv6' }) as const)[isIP(host) as 4 | 6]
