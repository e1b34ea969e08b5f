import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRawClient } from '../../../../test/support/raw-client.ts'
import { certificateAuthority } from '../../index.ts'
import { TestServer } from '../../testing/test-client.ts'

const ISSUER = 'https://login.example.com'
const PATH = '/api/v1/namespaces/default/secrets'
let scene: TestServer
let keys: Awaited<ReturnType<typeof generateKeyPair>>

beforeAll(async () => {
  keys = await generateKeyPair('ES256')
  const keySet = { keys: [{ ...(await exportJWK(keys.publicKey)), alg: 'ES256' }] }
  scene = await TestServer.start({
    authorization: 'RBAC',
    authentication: {
      anonymous: true,
      tokens: { 'eves-token': { username: 'eve', groups: ['interns'] } },
      jwt: [{ issuer: ISSUER, audiences: ['clusters'], keySet, usernamePrefix: 'oidc:' }],
    },
  })
})
afterAll(() => scene[Symbol.asyncDispose]())

const bearer = (token: string) => scene.as({ authorization: `Bearer ${token}` })

function sign(claims: JWTPayload, key = keys.privateKey): Promise<string> {
  const all = { iss: ISSUER, aud: 'clusters', sub: 'ada', exp: Date.now() / 1000 + 60, ...claims }
  return new SignJWT(all).setProtectedHeader({ alg: 'ES256' }).sign(key)
}

async function serviceAccountToken(): Promise<string> {
  const path = '/api/v1/namespaces/default/serviceaccounts/default/token'
  const { body } = await scene.client.post(path, {})
  return body.status.token
}

describe('without credentials', () => {
  it('nothing but health and version is served where anonymous requests are on', async () => {
    const nobody = scene.as({})
    for (const path of ['/healthz', '/livez', '/readyz', '/version']) {
      expect((await nobody.get(path)).status, path).toBe(200)
    }
    for (const path of [
      '/',
      '/api',
      '/apis',
      '/metrics',
      '/openapi/v2',
      '/openapi/v3',
      '/openid/v1/jwks',
      PATH,
      '/api/v1/namespaces',
      '/apis/none/v1/x',
    ]) {
      expect((await nobody.get(path)).status, path).toBe(403)
    }
    expect((await nobody.post(PATH, { metadata: { name: 'a' } })).status).toBe(403)
    expect((await scene.as({ authorization: 'Bearer ' }).get('/api')).status).toBe(403)
    expect((await scene.as({ authorization: 'Basic YTpi' }).get('/api')).status).toBe(403)
  })

  it('not even those otherwise', async () => {
    await using strict = await TestServer.start({ authorization: 'RBAC' })
    for (const path of ['/healthz', '/version', PATH]) {
      expect((await strict.as({}).get(path)).status, path).toBe(401)
    }
    expect((await strict.client.get('/healthz')).status).toBe(200)
  })
})

describe('a token', () => {
  it.each(['x', 'a.b.c', '__proto__', 'constructor', 'x'.repeat(8000), 'eves-token,eves-token'])(
    'that is none of ours gets a 401: %j',
    async (token) => {
      const { status, body } = await bearer(token).get('/api')
      expect(status).toBe(401)
      expect(body).toMatchObject({ reason: 'Unauthorized', message: 'Unauthorized' })
      expect(body.details).toBeUndefined()
    },
  )

  it('of an issuer stands for its user, and not when it is forged', async () => {
    const { status, body } = await bearer(await sign({})).get(PATH)
    expect([status, body.message]).toEqual([403, expect.stringContaining('User "oidc:ada" cannot list')])
    const other = await generateKeyPair('ES256')
    const forged = Buffer.from('{"sub":"system:admin"}').toString('base64url')
    const bad = [await sign({}, other.privateKey), (await sign({})).replace(/\.[^.]+\./, `.${forged}.`)]
    for (const token of bad) expect((await bearer(token).get('/api')).status).toBe(401)
  })

  it('beside which a user is impersonated needs the right to', async () => {
    const eve = scene.as({ authorization: 'Bearer eves-token', 'impersonate-user': 'system:admin' })
    expect((await eve.get(PATH)).status).toBe(403)
    const group = { 'impersonate-user': 'eve', 'impersonate-group': 'system:masters' }
    expect((await scene.as({ authorization: 'Bearer eves-token', ...group }).get(PATH)).status).toBe(403)
    const malformed = { 'impersonate-user': 'eve', 'impersonate-extra-%zz': 'x' }
    const answer = await scene.as({ authorization: 'Bearer eves-token', ...malformed }).get(PATH)
    expect(answer.status).toBe(400)
  })
})

it('a certificate of another authority is refused, whatever it says', async () => {
  const impostor = await certificateAuthority()
  const { certificate, key } = await impostor.client('kubernetes-admin', ['system:masters'])
  const encode = (pem: string) => Buffer.from(pem).toString('base64')
  const client = createRawClient(
    JSON.stringify({
      clusters: [{ cluster: { server: scene.url.href, 'certificate-authority-data': encode(scene.ca) } }],
      users: [{ user: { 'client-certificate-data': encode(certificate), 'client-key-data': encode(key) } }],
    }),
  )
  expect((await client.get('/api')).status).toBe(401)
  client.close()
})

it('errors and the audit log contain no credentials and no contents', async () => {
  const token = await serviceAccountToken()
  await bearer(token).get(PATH)
  await scene.client.post(PATH, { metadata: { name: 'pass' }, stringData: { word: 'open-sesame' } })
  const reported = JSON.stringify([scene.audit, scene.failures.map(String)])
  expect(scene.audit.length).toBeGreaterThan(20)
  for (const secret of [token, token.split('.')[2] ?? '', 'eves-token', 'open-sesame']) {
    expect(reported.includes(secret)).toBe(false)
  }
  expect(scene.failures).toEqual([])
})
