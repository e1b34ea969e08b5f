import { createHash, createPrivateKey, createPublicKey, type KeyObject, randomUUID } from 'node:crypto'
import { createLocalJWKSet, exportJWK, importPKCS8, type JWK, jwtVerify, SignJWT } from 'jose'
import type { KubeObject } from '../../../apimachinery/objects.ts'
import { ISSUER, type TokenClaims, type User } from '../../../apiserver/registry/access.ts'
import type { ObjectReader } from '../../../apiserver/registry/object-reader.ts'
import { newServiceAccountKey } from '../service-account-key.ts'
import { SECRET_ISSUER, secretClaims, usernameOf, userOfSecret } from './secret-tokens.ts'

/** Algorithms with which kube-apiserver signs by keys of elliptic curves, by the curves' names at OpenSSL. */
const CURVES: ReadonlyMap<string | undefined, string> = new Map([
  ['prime256v1', 'ES256'],
  ['secp384r1', 'ES384'],
  ['secp521r1', 'ES512'],
])

/** Issues and authenticates the tokens of service accounts (bound service account tokens, KEP-1205). */
export interface ServiceAccountTokens {
  /** The private key, PEM: it can sign tokens of every service account. */
  readonly key: string
  /** The public keys as a JWK set, for clients that verify tokens themselves. */
  readonly keys: { readonly keys: readonly JWK[] }
  issue(claims: TokenClaims): Promise<string>
  /** Issues a token without an end, valid while the secret of that name in the namespace holds it. */
  issueForSecret(account: KubeObject, secretName: string): Promise<string>
  /**
   * Returns the user of a token, with its audiences. Undefined for tokens that are forged, out of date, for
   * other audiences, or of an account or bound object that is gone or is another one by now.
   */
  authenticate(token: string, objects: ObjectReader): Promise<User | undefined>
}

/** @param existing PEM of an earlier private key, so that its tokens stay good */
export async function createServiceAccountTokens(existing?: string): Promise<ServiceAccountTokens> {
  const key = existing ?? (await newServiceAccountKey())
  const algorithm = signingAlgorithm(createPrivateKey(key))
  if (algorithm === undefined)
    throw new Error('failed to sign tokens of service accounts: no such key is known')
  const signingKey = await importPKCS8(key, algorithm, { extractable: true })
  const { d, p, q, dp, dq, qi, ...open } = await exportJWK(signingKey)
  const kid = keyId(key)
  const jwk: JWK = { ...open, kid, alg: algorithm, use: 'sig' }
  const verificationKeys = createLocalJWKSet({ keys: [jwk] })
  return {
    key,
    keys: { keys: [jwk] },
    issue: ({ account, audiences, now, expirationSeconds, boundTo }) => {
      const issued = Math.floor(now / 1000)
      const { namespace, name, uid } = account
      const bound = boundTo && { [boundTo.kind.toLowerCase()]: { name: boundTo.name, uid: boundTo.uid } }
      return new SignJWT({ 'kubernetes.io': { namespace, serviceaccount: { name, uid }, ...bound } })
        .setProtectedHeader({ alg: algorithm, kid })
        .setIssuer(ISSUER)
        .setSubject(usernameOf(account))
        .setAudience([...audiences])
        .setIssuedAt(issued)
        .setNotBefore(issued)
        .setExpirationTime(issued + expirationSeconds)
        .setJti(randomUUID())
        .sign(signingKey)
    },
    issueForSecret: ({ metadata: { namespace = '', name = '', uid = '' } }, secretName) =>
      new SignJWT(secretClaims({ namespace, name, uid }, secretName))
        .setProtectedHeader({ alg: algorithm, kid })
        .setIssuer(SECRET_ISSUER)
        .setSubject(usernameOf({ namespace, name }))
        .sign(signingKey),
    async authenticate(token, objects) {
      const algorithms = [algorithm]
      const options = { issuer: ISSUER, audience: ISSUER, algorithms }
      const verified = await jwtVerify(token, verificationKeys, options).catch(() => undefined)
      if (verified) return userOf(verified.payload, objects)
      const kept = { issuer: SECRET_ISSUER, algorithms }
      const fromSecret = await jwtVerify(token, verificationKeys, kept).catch(() => undefined)
      return fromSecret && userOfSecret(token, fromSecret.payload, objects)
    },
  }
}

/** Returns the algorithm of a key; undefined for keys with which Kubernetes signs nothing. */
function signingAlgorithm({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string | undefined {
  if (asymmetricKeyType === 'rsa') return 'RS256'
  return asymmetricKeyType === 'ec' ? CURVES.get(asymmetricKeyDetails?.namedCurve) : undefined
}

/** Computes a key's id as Kubernetes: tokens are valid at every server and controller that has the key. */
const keyId = (privateKey: string): string =>
  createHash('sha256')
    .update(createPublicKey(privateKey).export({ type: 'spki', format: 'der' }))
    .digest('base64url')

interface Named {
  readonly name?: unknown
  readonly uid?: unknown
}

/** Returns the user. The signature has shown that the claims are ours; what they name must still be there. */
function userOf(payload: Readonly<Record<string, unknown>>, objects: ObjectReader): User | undefined {
  const claims = payload['kubernetes.io'] as Readonly<Record<string, unknown>> | undefined
  const account = claims?.serviceaccount as Named | undefined
  if (typeof claims?.namespace !== 'string' || typeof account?.name !== 'string') return undefined
  const { namespace } = claims
  const [pod, secret, node] = [claims.pod, claims.secret, claims.node] as (Named | undefined)[]
  const isThere = (resource: string, bound: Named | undefined, where = namespace): boolean => {
    if (bound === undefined) return true
    const found = objects.get(resource, where, String(bound.name))
    return found !== undefined && found.metadata.uid === bound.uid && !isOver(found)
  }
  const isGood =
    isThere('serviceaccounts', account) &&
    isThere('pods', pod) &&
    isThere('secrets', secret) &&
    isThere('nodes', node, '')
  if (!isGood) return undefined
  return {
    username: usernameOf({ namespace, name: account.name }),
    uid: String(account.uid),
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
    extra: {
      ...(typeof payload.jti === 'string' && { [`${EXTRA}credential-id`]: [`JTI=${payload.jti}`] }),
      ...boundExtra('pod', pod),
      ...boundExtra('node', node),
    },
  }
}

/** Time from the deletion of what tokens are bound to until they end, as upstream's. */
const LEEWAY_MS = 60_000

/** Reports whether an object has been deleted and only finalizers hold it. */
function isOver({ metadata: { deletionTimestamp } }: KubeObject): boolean {
  return deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < Date.now() - LEEWAY_MS
}

const EXTRA = 'authentication.kubernetes.io/'

const boundExtra = (kind: 'node' | 'pod', bound: Named | undefined): Record<string, string[]> =>
  bound === undefined
    ? {}
    : { [`${EXTRA}${kind}-name`]: [String(bound.name)], [`${EXTRA}${kind}-uid`]: [String(bound.uid)] }
