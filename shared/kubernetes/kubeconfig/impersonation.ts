import type { KubeconfigUser } from './kubeconfig-file.ts'

/** Headers by which a user acts as another one (client-go's transport/round_trippers.go). */
export function impersonationHeaders(user: KubeconfigUser): Record<string, string | readonly string[]> {
  if (!user.as) return {}
  const { 'as-uid': uid, 'as-groups': groups = [], 'as-user-extra': extra = {} } = user
  const extras = Object.entries(extra).map(([key, values]) => [
    `impersonate-extra-${escapeKey(key)}`,
    values.map(utf8Header),
  ])
  return {
    'impersonate-user': utf8Header(user.as),
    ...(uid && { 'impersonate-uid': utf8Header(uid) }),
    ...(groups.length > 0 && { 'impersonate-group': groups.map(utf8Header) }),
    ...Object.fromEntries(extras),
  }
}

/** Go writes headers in UTF-8, Node in Latin-1. */
export const utf8Header = (text: string): string => Buffer.from(text).toString('latin1')

/** Escapes what a header's name cannot hold, and % as it escapes. */
const escapeKey = (key: string): string =>
  utf8Header(key).replace(
    /[^!#$&'*+\-.^_`|~\w]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
