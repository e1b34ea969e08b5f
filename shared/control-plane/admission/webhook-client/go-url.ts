import { quoted } from '../../../kubernetes/index.ts'

/** The parts of a URL as Go's net/url names them; absent ones are `''`. */
interface GoUrl {
  readonly scheme: string
  readonly user: string | undefined
  readonly host: string
  readonly path: string
  readonly query: string
  readonly fragment: string
}

/** Reads a URL as strictly, and as leniently, as Go's `url.Parse`; throws with its text. */
export function parseGoUrl(text: string): GoUrl {
  try {
    return parsed(text)
  } catch (error) {
    throw new Error(`parse ${quoted(text)}: ${(error as Error).message}`, { cause: error })
  }
}

function parsed(text: string): GoUrl {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression searches for them
  if (/[\u0000-\u001f\u007f]/.test(text)) throw new Error('net/url: invalid control character in URL')
  const [beforeFragment, fragment] = cut(text, '#')
  const { scheme, rest } = schemeOf(beforeFragment)
  const [hierarchy, query] = cut(rest, '?')
  if (scheme === '' && !hierarchy.startsWith('/') && hierarchy.split('/')[0]?.includes(':')) {
    throw new Error('first path segment in URL cannot contain colon')
  }
  if (!hierarchy.startsWith('//') || (scheme === '' && hierarchy.startsWith('///'))) {
    checkEscapes(hierarchy)
    return { scheme, user: undefined, host: '', path: hierarchy, query, fragment }
  }
  const slash = hierarchy.indexOf('/', 2)
  const authority = hierarchy.slice(2, slash < 0 ? undefined : slash)
  const path = slash < 0 ? '' : hierarchy.slice(slash)
  const at = authority.lastIndexOf('@')
  const host = authority.slice(at + 1)
  checkHost(host)
  checkEscapes(path)
  return { scheme, user: at < 0 ? undefined : authority.slice(0, at), host, path, query, fragment }
}

function cut(text: string, separator: string): readonly [before: string, after: string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

function schemeOf(text: string): { readonly scheme: string; readonly rest: string } {
  if (text.startsWith(':')) throw new Error('missing protocol scheme')
  const [whole, scheme = ''] = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text) ?? ['']
  return { scheme: scheme.toLowerCase(), rest: text.slice(whole.length) }
}

function checkHost(host: string): void {
  const end = host.startsWith('[') ? host.lastIndexOf(']') : -1
  if (host.startsWith('[') && end < 0) throw new Error("missing ']' in host")
  const colon = end >= 0 ? end + 1 : host.indexOf(':')
  const port = colon < 0 ? '' : host.slice(colon)
  if (port !== '' && !/^:\d*$/.test(port)) throw new Error(`invalid port ${quoted(port)} after host`)
  const bad = /[^A-Za-z0-9\-._~!$&'()*+,;=:[\]<>"%\u0080-\u{10ffff}]/u.exec(host)
  if (bad) throw new Error(`invalid character ${quoted(bad[0])} in host name`)
  checkEscapes(host)
}

function checkEscapes(text: string): void {
  const bad = /%(?![0-9A-Fa-f]{2}).{0,2}/.exec(text)
  if (bad) throw new Error(`invalid URL escape ${quoted(bad[0])}`)
}
