import { quoted } from '../../../kubernetes/index.ts'
import { badRequest } from '../../apimachinery/errors/factories.ts'
import { refusal } from '../../auth/security/authorization.ts'
import { type Authorize, decide, type RequestAttributes, type User } from '../registry/access.ts'
import type { Request } from './exchange.ts'
import { headerLines } from './header-lines.ts'

type Asked = Pick<RequestAttributes, 'group' | 'resource' | 'name' | 'namespace' | 'subresource'>

const EXTRA = 'impersonate-extra-'

/**
 * Returns the user as whom a request is to be served: that of its `Impersonate-*` headers, as `kubectl --as`
 * sends them, or else its sender. Throws the 403 of a user who may not `impersonate` everything that the
 * headers name.
 */
export function impersonatedUser(user: User, request: Request, authorize: Authorize): User {
  const wanted = wantedUser(request)
  if (wanted === undefined) return user
  for (const asked of permissionsFor(wanted)) {
    const attributes = { ...asked, user, verb: 'impersonate', version: 'v1', path: '', resourceRequest: true }
    const { allowed, reason } = decide(authorize, attributes)
    if (!allowed) throw refusal(attributes, reason)
  }
  return { ...wanted, groups: groupsOf(wanted) }
}

function wantedUser(request: Request): User | undefined {
  const [named] = headerLines(request, 'impersonate-user')
  const username = named === '' ? undefined : named
  const names = Object.keys(request.headers).filter((name) => name.startsWith(EXTRA))
  const groups = headerLines(request, 'impersonate-group')
  const [uid] = headerLines(request, 'impersonate-uid')
  if (username === undefined) {
    if (groups.length + names.length > 0 || uid !== undefined) throw nameless(groups, uid)
    return undefined
  }
  const extra = names.map((name) => [decodeName(name.slice(EXTRA.length)), headerLines(request, name)])
  return {
    username,
    groups,
    ...(uid !== undefined && { uid }),
    ...(extra.length > 0 && { extra: Object.fromEntries(extra) }),
  }
}

/** Describes the user as the real server does, in the syntax of Go. */
function nameless(groups: readonly string[], uid = ''): Error {
  const list = groups.length === 0 ? '(nil)' : `{${groups.map((group) => JSON.stringify(group)).join(', ')}}`
  return badRequest(
    `requested &user.DefaultInfo{Name:"", UID:${quoted(uid)}, Groups:[]string${list}, Extra:map[string][]string(nil)} without impersonating a user name`,
  )
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    throw badRequest(`the header impersonate-extra-${name} has a name that is not percent-encoded`)
  }
}

function permissionsFor({ username, groups, uid, extra = {} }: User): Asked[] {
  const none = { namespace: '', subresource: '' }
  const [, namespace, account] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username) ?? []
  const authentication = 'authentication.k8s.io'
  return [
    namespace !== undefined && account !== undefined
      ? { ...none, group: '', resource: 'serviceaccounts', namespace, name: account }
      : { ...none, group: '', resource: 'users', name: username },
    ...groups.map((name) => ({ ...none, group: '', resource: 'groups', name })),
    ...(uid === undefined ? [] : [{ ...none, group: authentication, resource: 'uids', name: uid }]),
    ...Object.entries(extra).flatMap(([subresource, items]) =>
      items.map((name) => ({ ...none, group: authentication, resource: 'userextras', subresource, name })),
    ),
  ]
}

/** Returns the groups: of all but anonymous, authenticated; of service accounts, their namespace's. */
function groupsOf({ username, groups }: User): string[] {
  const [, namespace] = /^system:serviceaccount:([^:]+):[^:]+$/.exec(username) ?? []
  const own = namespace === undefined ? [] : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
  const all = groups.length > 0 ? [...groups] : own
  const group = username === 'system:anonymous' ? 'system:unauthenticated' : 'system:authenticated'
  return [...new Set([...all, group])]
}
