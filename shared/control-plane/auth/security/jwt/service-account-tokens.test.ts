import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../apimachinery/objects.ts'
import type { TokenClaims } from '../../../apiserver/registry/access.ts'
import type { ObjectReader } from '../../../apiserver/registry/object-reader.ts'
import { createServiceAccountTokens, type ServiceAccountTokens } from './service-account-tokens.ts'

const SERVER = 'https://kubernetes.default.svc.cluster.local'

const claims = (more: Partial<TokenClaims> = {}): TokenClaims => ({
  account: { namespace: 'shop', name: 'bot', uid: 'u1' },
  audiences: [SERVER],
  now: Date.now(),
  expirationSeconds: 600,
  ...more,
})

/**
 * Returns the reader of a server that has these objects, by resource, namespace and name, with these uids.
 */
const objects = (uids: Readonly<Record<string, string>>): ObjectReader => ({
  get: (resource, namespace, name): KubeObject | undefined => {
    const uid = uids[`${resource}/${namespace}/${name}`]
    return uid === undefined ? undefined : { metadata: { name, namespace, uid } }
  },
  list: () => [],
})
const withAccount = { 'serviceaccounts/shop/bot': 'u1' }

describe('a token of a service account', () => {
  let tokens: ServiceAccountTokens
  beforeAll(async () => {
    tokens = await createServiceAccountTokens()
  })

  it('stands for the account and its groups', async () => {
    const user = await tokens.authenticate(await tokens.issue(claims()), objects(withAccount))
    expect(user).toMatchObject({
      username: 'system:serviceaccount:shop:bot',
      uid: 'u1',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:shop'],
    })
  })

  it('stays good with the key of an earlier start, and is none with another key', async () => {
    const token = await tokens.issue(claims())
    const after = await createServiceAccountTokens(tokens.key)
    expect(await after.authenticate(token, objects(withAccount))).toBeDefined()
    const stranger = await createServiceAccountTokens()
    expect(await stranger.authenticate(token, objects(withAccount))).toBeUndefined()
  })

  it.each(['P-256', 'P-384', 'P-521'])('is good with a key of the curve %s', async (namedCurve) => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve })
    const ofCurve = await createServiceAccountTokens(
      privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    )
    expect(await ofCurve.authenticate(await ofCurve.issue(claims()), objects(withAccount))).toBeDefined()
  })

  it('names its key as kube-apiserver does, by the hash of the public one', async () => {
    const spki = createPublicKey(tokens.key).export({ type: 'spki', format: 'der' })
    expect(tokens.keys.keys[0]?.kid).toBe(createHash('sha256').update(spki).digest('base64url'))
  })

  it.each([
    ['out of date', { now: Date.now() - 3_600_000 }],
    ['not good yet', { now: Date.now() + 3_600_000 }],
    ['for somebody else', { audiences: ['https://elsewhere'] }],
  ])('is refused where it is %s', async (_, more) => {
    expect(await tokens.authenticate(await tokens.issue(claims(more)), objects(withAccount))).toBeUndefined()
  })

  it('ends with the object that it is bound to', async () => {
    const boundTo = { kind: 'Pod', name: 'web-1', uid: 'p1' } as const
    const token = await tokens.issue(claims({ boundTo }))
    const pod = (uid: string) => objects({ ...withAccount, 'pods/shop/web-1': uid })
    expect(await tokens.authenticate(token, pod('p1'))).toBeDefined()
    expect(await tokens.authenticate(token, pod('p2'))).toBeUndefined()
    expect(await tokens.authenticate(token, objects(withAccount))).toBeUndefined()
  })

  it('ends a minute after the deletion of what it is for has begun, whatever holds that', async () => {
    const token = await tokens.issue(claims())
    const deleted = (seconds: number): ObjectReader => {
      const { get, list } = objects(withAccount)
      const deletionTimestamp = new Date(Date.now() - seconds * 1000).toISOString()
      const marked = (found: KubeObject | undefined): KubeObject | undefined =>
        found && { ...found, metadata: { ...found.metadata, deletionTimestamp } }
      return { get: (...place) => marked(get(...place)), list }
    }
    expect(await tokens.authenticate(token, deleted(5))).toBeDefined()
    expect(await tokens.authenticate(token, deleted(65))).toBeUndefined()
  })

  it.each(['', 'x', 'a.b.c', 'eyJhbGciOiJub25lIn0.e30.'])('is not %j', async (token) => {
    expect(await tokens.authenticate(token, objects(withAccount))).toBeUndefined()
  })

  it('can be verified by others with keys that hold no secret', async () => {
    expect(Object.keys(tokens.keys.keys[0] ?? {}).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
  })
})
