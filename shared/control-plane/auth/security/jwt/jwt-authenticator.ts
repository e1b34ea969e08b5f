import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose'
import { ownMember } from '../../../apimachinery/json/values.ts'
import type { User } from '../../../apiserver/registry/access.ts'
import type { TokenAuthenticator } from '../authentication.ts'
import { type KeySetSource, openKeySet } from './key-set.ts'

/** Asymmetric only: with a shared secret, each verifier could issue tokens. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']
/** Names that only the server itself gives. */
const RESERVED = 'system:'

/** An issuer of JSON Web Tokens that stand for users, as with kube-apiserver's `--oidc-*` flags. */
export interface JwtAuthenticatorOptions {
  /** Value that the claim `iss` must have. */
  readonly issuer: string
  /** One of these must be among `aud`. */
  readonly audiences: readonly string[]
  /** The issuer's public keys: a file or an `https:` URL of a JWK set, or the set itself. */
  readonly keySet: KeySetSource
  /** PEM of who certifies the server of the key set's URL. Default: the authorities that Node trusts. */
  readonly certificateAuthority?: string
  /** Default `sub`. With `email`, tokens that say `email_verified: false` are refused. */
  readonly usernameClaim?: string
  /** Prefix of usernames. Default: the issuer and `#`, so that issuers share no user; none for `email`. */
  readonly usernamePrefix?: string
  /** A string or a list of strings. Default: users have no groups. */
  readonly groupsClaim?: string
  /** Stands before groups. Default: nothing. */
  readonly groupsPrefix?: string
}

/**
 * Returns the users of an issuer's tokens. Usernames that begin with `system:` are refused and such groups
 * are left out: they would be users and rights of the server's own. `onError` is called when keys cannot be
 * had.
 */
export function jwtAuthenticator(
  options: JwtAuthenticatorOptions,
  onError: (error: unknown) => void,
): TokenAuthenticator {
  const { issuer, audiences, keySet, certificateAuthority } = options
  if (audiences.length === 0) {
    throw new Error(`failed to trust the issuer ${issuer}: tokens for any audience would be good, name yours`)
  }
  const keys = openKeySet(keySet, certificateAuthority)
  return async (token) => {
    if (issuerOf(token) !== issuer) return undefined
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience: [...audiences],
        algorithms: ALGORITHMS,
        requiredClaims: ['exp'],
      })
      return userOf(payload, options)
    } catch (error) {
      if (!isRefusal(error)) onError(error)
      return undefined
    }
  }
}

/** Returns the issuer, unverified. Keys are only asked for if a token claims to be from the issuer. */
function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}

/** Reports whether the token is at fault, and not the connection to the keys. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof errors.JOSEError &&
    !(error instanceof errors.JWKSTimeout) &&
    !(error instanceof errors.JWKSInvalid) &&
    error.code !== 'ERR_JOSE_GENERIC'
  )
}

function userOf(payload: JWTPayload, options: JwtAuthenticatorOptions): User | undefined {
  const { issuer, usernameClaim = 'sub', groupsClaim, groupsPrefix = '' } = options
  const { usernamePrefix = usernameClaim === 'email' ? '' : `${issuer}#` } = options
  const claimed = ownMember(payload, usernameClaim)
  if (typeof claimed !== 'string' || claimed === '') return undefined
  if (usernameClaim === 'email' && (payload.email_verified ?? true) !== true) return undefined
  const username = `${usernamePrefix}${claimed}`
  if (username.startsWith(RESERVED)) return undefined
  const groups = groupsClaim === undefined ? [] : stringsOf(ownMember(payload, groupsClaim))
  return {
    username,
    groups: groups.map((group) => `${groupsPrefix}${group}`).filter((group) => !group.startsWith(RESERVED)),
  }
}

function stringsOf(claim: unknown): string[] {
  const items: unknown[] = Array.isArray(claim) ? claim : [claim]
  return items.filter((item): item is string => typeof item === 'string' && item !== '')
}
