import { quoted } from '../../../kubernetes/index.ts'
import { CelError } from '../errors.ts'
import { type CelValue, LiteralMap, Opaque } from '../values/index.ts'
import { type Library, overload, traversal } from './function.ts'

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/

/** An absolute URL or path, read as Go's `url.ParseRequestURI` reads it. */
class UrlValue extends Opaque {
  override readonly typeName = 'kubernetes.URL'
  readonly text: string
  readonly scheme: string
  readonly host: string
  readonly path: string
  readonly query: string

  constructor(text: string) {
    super()
    this.text = text
    const scheme = SCHEME.exec(text)?.[0] ?? ''
    this.scheme = scheme.slice(0, -1).toLowerCase()
    const rest = text.slice(scheme.length)
    const mark = rest.indexOf('?')
    const before = mark < 0 ? rest : rest.slice(0, mark)
    this.query = mark < 0 ? '' : rest.slice(mark + 1)
    const hasHost = before.startsWith('//') && (scheme !== '' || !before.startsWith('///'))
    const end = hasHost ? before.indexOf('/', 2) : 0
    const authority = hasHost ? before.slice(2, end < 0 ? undefined : end) : ''
    this.host = authority.slice(authority.lastIndexOf('@') + 1)
    this.path = end < 0 ? '' : before.slice(end)
  }

  override equals(other: Opaque): boolean {
    return other instanceof UrlValue && other.text === this.text
  }
}

/** Throws CelError with Go's words for what is wrong. */
function parseUrl(text: string): UrlValue {
  const problem = problemOf(text)
  if (problem)
    throw new CelError(`URL parse error during conversion from string: parse ${quoted(text)}: ${problem}`)
  return new UrlValue(text)
}

/** What Go's parser says of a URL; undefined where it is good. */
export function problemOf(text: string): string | undefined {
  if (text === '') return 'empty url'
  if ([...text].some((character) => character < ' ' || character === '\x7f'))
    return 'net/url: invalid control character in URL'
  if (text.startsWith(':')) return 'missing protocol scheme'
  if (!SCHEME.test(text) && !text.startsWith('/')) return 'invalid URI for request'
  const { scheme, host, path } = new UrlValue(text)
  // What follows the scheme without a slash is nobody's to look into, as in mailto:a@b.c.
  if (scheme !== '' && !text.slice(scheme.length + 1).startsWith('/')) return undefined
  const wrong = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(path)?.[0]
  if (wrong !== undefined) return `invalid URL escape ${quoted(wrong)}`
  return hostProblem(host)
}

function hostProblem(host: string): string | undefined {
  if (host.startsWith('[') && !host.includes(']')) return "missing ']' in host"
  const after = host.startsWith('[') ? host.slice(host.indexOf(']') + 1) : (/:.*$/.exec(host)?.[0] ?? '')
  if (after !== '' && !/^:\d*$/.test(after)) return `invalid port ${quoted(after)} after host`
  const wrong = /[ <>"\\^`{|}]/.exec(host)?.[0]
  return wrong === undefined ? undefined : `invalid character ${quoted(wrong)} in host name`
}

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

/** Go escapes in a path what must be, and leaves what is escaped already. */
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
      url(({ host }) => host),
    ),
  ],
  getHostname: [
    overload(
      'kubernetes.URL.() -> string',
      url(({ host }) => hostName(host)),
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
