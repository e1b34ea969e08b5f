import type { IncomingMessage } from 'node:http'
import { headerLines } from '../../apiserver/http/header-lines.ts'
import type { User } from '../../apiserver/registry/access.ts'

/**
 * Front proxies whose word counts for who a request is from, as another API server that this one stands
 * behind. The members are kube-apiserver's flags `--requestheader-…`.
 */
export interface RequestHeaderOptions {
  /** PEM of the authorities that certify front proxies, intermediate ones too. */
  readonly clientAuthorities: readonly string[]
  /** Common names of front proxies. Default: any that the authorities certify. */
  readonly allowedNames?: readonly string[]
  /** The first of these headers that has a value is the user's name. Default `X-Remote-User`. */
  readonly usernameHeaders?: readonly string[]
  /** The same for the user's uid. Default `X-Remote-Uid`. */
  readonly uidHeaders?: readonly string[]
  /** Every line of these headers is a group. Default `X-Remote-Group`. */
  readonly groupHeaders?: readonly string[]
  /** Prefixes of headers of extra values; then comes the key, percent-encoded. Default `X-Remote-Extra-`. */
  readonly extraHeaderPrefixes?: readonly string[]
}

/** Returns the user whom a front proxy names in its headers; undefined if it names no user. */
export function userOfHeaders(request: IncomingMessage, options: RequestHeaderOptions): User | undefined {
  const {
    usernameHeaders = ['X-Remote-User'],
    uidHeaders = ['X-Remote-Uid'],
    groupHeaders = ['X-Remote-Group'],
    extraHeaderPrefixes = ['X-Remote-Extra-'],
  } = options
  const lines = (names: readonly string[]): string[] =>
    names.flatMap((name) => headerLines(request, name.toLowerCase())).filter((line) => line !== '')
  const [username] = lines(usernameHeaders)
  if (username === undefined) return undefined
  const [uid] = lines(uidHeaders)
  const extra = extraOf(request, extraHeaderPrefixes)
  return {
    username,
    groups: lines(groupHeaders),
    ...(uid === undefined ? {} : { uid }),
    ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
  }
}

function extraOf(request: IncomingMessage, prefixes: readonly string[]): Map<string, string[]> {
  const extra = new Map<string, string[]>()
  for (const prefix of prefixes.map((item) => item.toLowerCase())) {
    for (const name of Object.keys(request.headers)) {
      if (!name.startsWith(prefix)) continue
      const key = decoded(name.slice(prefix.length))
      extra.set(key, [...(extra.get(key) ?? []), ...headerLines(request, name)])
    }
  }
  return extra
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}
