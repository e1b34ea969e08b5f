import { timingSafeEqual } from 'node:crypto'
import { objectAt, stringAt } from '../../../apimachinery/json/values.ts'
import type { User } from '../../../apiserver/registry/access.ts'
import type { ObjectReader } from '../../../apiserver/registry/object-reader.ts'

/** Issuer of tokens that are stored in secrets (upstream's LegacyIssuer). */
export const SECRET_ISSUER = 'kubernetes/serviceaccount'

const CLAIM = 'kubernetes.io/serviceaccount/'
/** A label that says since when a token is no good any more. */
const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since'

interface Account {
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

export const usernameOf = ({ namespace, name }: Pick<Account, 'namespace' | 'name'>): string =>
  `system:serviceaccount:${namespace}:${name}`

export const secretClaims = (
  { namespace, name, uid }: Account,
  secretName: string,
): Record<string, string> => ({
  [`${CLAIM}namespace`]: namespace,
  [`${CLAIM}secret.name`]: secretName,
  [`${CLAIM}service-account.name`]: name,
  [`${CLAIM}service-account.uid`]: uid,
})

/**
 * Returns the user of a token. Its signature has shown that the claims are ours; the secret must still hold
 * the token, and the account be the same one.
 */
export function userOfSecret(
  token: string,
  payload: Readonly<Record<string, unknown>>,
  objects: ObjectReader,
): User | undefined {
  const [namespace = '', secretName = '', name = '', uid = ''] = [
    'namespace',
    'secret.name',
    'service-account.name',
    'service-account.uid',
  ].map((claim) => String(payload[`${CLAIM}${claim}`] ?? ''))
  const secret = objects.get('secrets', namespace, secretName)
  const account = objects.get('serviceaccounts', namespace, name)
  if (!secret || !account || secret.metadata.deletionTimestamp || account.metadata.deletionTimestamp)
    return undefined
  const held = Buffer.from(stringAt(objectAt(secret, 'data'), 'token'), 'base64')
  const shown = Buffer.from(token)
  if (held.length !== shown.length || !timingSafeEqual(held, shown)) return undefined
  if (account.metadata.uid !== uid || payload.sub !== usernameOf({ namespace, name })) return undefined
  if (stringAt(objectAt(secret.metadata, 'labels'), INVALID_SINCE) !== '') return undefined
  return {
    username: usernameOf({ namespace, name }),
    uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
  }
}
