import { quoted } from '../../../kubernetes/index.ts'
import { CelError } from '../errors.ts'
import { type CelValue, LiteralMap, Opaque } from '../values/value.ts'
import { type Library, overload, traversal } from './function.ts'

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/

/** An absolute URL or path, read as Go's `url.ParseRequestURI` reads it. */
class UrlValue extends Opaque {
  override readonly typeName = 'kubernetes.URL'
  readonly text: string
  readonly scheme: string
  /** User with a password, if it has one. */
  readonly user: string
  /** Host as it is written. */
  readonly host: string
  readonly path: string
  readonly query: string

  /** @param parsed the text without its fragment, which a request does not send */
  constructor(text: string, parsed = text) {
    super()
    this.text = text
    const scheme = SCHEME.exec(parsed)?.[0] ?? ''
    this.scheme = scheme.slice(0, -1).toLowerCase()
    const rest = parsed.slice(scheme.length)
    const mark = rest.indexOf('?')
    const before = mark < 0 ? rest : rest.slice(0, mark)
    this.query = mark < 0 ? '' : rest.slice(mark + 1)
    const hasHost = before.startsWith('//') && (scheme !== '' || !before.startsWith('///'))
    const end = hasHost ? before.indexOf('/', 2) : 0
    const authority = hasHost ? before.slice(2, end < 0 ? undefined : end) : ''
    const at = authority.lastIndexOf('@')
    this.user = authority.slice(0, Math.max(0, at))
    this.host = authority.slice(at + 1)
    const isOpaque = scheme !== '' && !before.startsWith('/')
    this.path = end < 0 || isOpaque ? '' : before.slice(end)
  }

  override equals(other: Opaque): boolean {
    return other instanceof UrlValue && other.text === this.text
  }
}

/** Throws CelError with Go's words for what is wrong. */
function parseUrl(text: string): UrlValue {
  const fragment = text.indexOf('#')
  const parsed = fragment < 0 ? text : text.slice(0, fragment)
  const problem = problemOf(text) ?? escapeProblem(text.slice(parsed.length))
  if (problem)
    throw new CelError(`URL parse error during conversion from string: parse ${quoted(text)}: ${problem}`)
  return new UrlValue(text, parsed)
}

/** Returns the error of Go's parser for a URL; undefined if it is valid. */
export function problemOf(text: string): string | undefined {
  if (text === '') return 'empty url'
  if ([...text].some((character) => character < ' ' || character === '\x7f'))
    return 'net/url: invalid control character in URL'
  if (text.startsWith(':')) return 'missing protocol scheme'
  if (text === '*') return undefined
  if (!SCHEME.test(text) && !text.startsWith('/')) return 'invalid URI for request'
  const { scheme, user, host, path } = new UrlValue(text)
  // What follows the scheme without a slash is opaque, as in mailto:a@b.c.
  if (scheme !== '' && !text.slice(scheme.length + 1).startsWith('/')) return undefined
  return userProblem(user) ?? hostProblem(host) ?? escapeProblem(path)
}

function escapeProblem(text: string, bad = /%(?![0-9a-fA-F]{2}).{0,2}/): string | undefined {
  const wrong = bad.exec(text)?.[0]
  return wrong === undefined ? undefined : `invalid URL escape ${quoted(wrong)}`
}

function userProblem(user: string): string | undefined {
  if (/[^A-Za-z0-9\-._:~!$&'()*+,;=%@]/.test(user)) return 'net/url: invalid userinfo'
  return escapeProblem(user)
}

/**
 * Escapes that a host may not have. Those of characters beyond ASCII and of the percent sign are allowed, and
 * in the zone of an address, all are.
 */
const NO_ESCAPE_OF_A_HOST = /%(?!25|[89a-fA-F][0-9a-fA-F]).{0,2}/

function hostProblem(host: string): string | undefined {
  if (host.startsWith('[') && !host.includes(']')) return "missing ']' in host"
  const zone = host.startsWith('[') ? host.slice(0, host.indexOf(']')).indexOf('%25') : -1
  const escapes =
    escapeProblem(zone < 0 ? host : host.slice(0, zone), NO_ESCAPE_OF_A_HOST) ?? escapeProblem(host)
  if (escapes !== undefined) return escapes
  const after = host.startsWith('[') ? host.slice(host.indexOf(']') + 1) : (/:.*$/.exec(host)?.[0] ?? '')
  if (after !== '' && !/^:\d*$/.test(after)) return `invalid port ${quoted(after)} after host`
  const wrong = /[ #\\^`{|}]/.exec(host)?.[0]
  return wrong === undefined ? undefined : `invalid character ${quoted(wrong)} in host name`
}

const unescaped = (host: string): string => decoded(host.replaceAll('+', '%2B')) ?? host

function hostName(host: string): string {
  if (host.startsWith('[')) return host.slice(1, host.indexOf(']'))
  return host.replace(/:\d*$/, '')
}

function portOf(host: string): string {
  return /:(\d*)$/.exec(host.replace(/^\[.*\]/, ''))?.[1] ?? ''
}

function queryOf(query: string): CelValue {
  const values = new Map<string, string[]>()
  for (const part of query.split('&')) {
    if (part === '' || part.includes(';')) continue
    const [name = '', ...rest] = part.split('=')
    const [key, value] = [decoded(name), decoded(rest.join('='))]
    if (key === undefined || value === undefined) continue
    values.set(key, [...(values.get(key) ?? []), value])
  }
  return new LiteralMap(values)
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/** Escapes a path as Go does: what must be escaped, but not what is escaped already. */
const escapedPath = (path: string): string =>
  path.replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%[\]]+/g, (part) => encodeURIComponent(part))

const url =
  (read: (url: UrlValue) => CelValue) =>
  ([value]: readonly CelValue[]): CelValue =>
    read(value as UrlValue)

export const URLS: Library = {
  url: [overload('(string) -> kubernetes.URL', ([a]) => parseUrl(a as string), traversal())],
  isURL: [overload('(string) -> bool', ([a]) => problemOf(a as string) === undefined)],
  getScheme: [
    overload(
      'kubernetes.URL.() -> string',
      url(({ scheme }) => scheme),
    ),
  ],
  getHost: [
    overload(
      'kubernetes.URL.() -> string',
      url(({ host }) => unescaped(host)),
    ),
  ],
  getHostname: [
    overload(
      'kubernetes.URL.() -> string',
      url(({ host }) => hostName(unescaped(host))),
    ),
  ],
  getPort: [
    overload(
      'kubernetes.URL.() -> string',
      url(({ host }) => portOf(host)),
    ),
  ],
  getEscapedPath: [
    overload(
      'kubernetes.URL.() -> string',
      url(({ path }) => escapedPath(path)),
    ),
  ],
  getQuery: [
    overload(
      'kubernetes.URL.() -> map<string, list<string>>',
      url(({ query }) => queryOf(query)),
    ),
  ],
}
