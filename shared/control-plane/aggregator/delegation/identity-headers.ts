import type { OutgoingHttpHeaders } from 'node:http'
import type { User } from '../../apiserver/registry/access.ts'

/** Names a request's user for a server that trusts this one (client-go/transport, `SetAuthProxyHeaders`). */
export function identityHeaders({ username, uid, groups, extra = {} }: User): OutgoingHttpHeaders {
  const extras = Object.entries(extra).map(([key, values]) => [
    `x-remote-extra-${escaped(key)}`,
    values.map(bytes),
  ])
  return {
    'x-remote-user': bytes(username),
    ...(uid ? { 'x-remote-uid': bytes(uid) } : {}),
    ...(groups.length > 0 ? { 'x-remote-group': groups.map(bytes) } : {}),
    ...Object.fromEntries(extras),
  }
}

/** Escapes a key for a header's name, which has few characters; the percent sign too, to be reversible. */
function escaped(key: string): string {
  return [...Buffer.from(key)]
    .map((byte) => {
      const character = String.fromCharCode(byte)
      return /[a-zA-Z0-9!#$&'*+\-.^_`|~]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')
}

/** Encodes text as UTF-8: Node sends each character of a header as one byte. */
function bytes(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/** User that asks other servers what they serve. */
export const AGGREGATOR: User = { username: 'system:kube-aggregator', groups: [] }
/** The same, where it has to be allowed whatever the other server allows. */
export const AGGREGATOR_MASTER: User = { ...AGGREGATOR, groups: ['system:masters'] }
