import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts'
import { certificateAuthority } from '../certificates.ts'
import { type JwtAuthenticatorOptions, jwtAuthenticator } from './jwt-authenticator.ts'

const ISSUER = 'https://login.example.com'
let keys: CryptoKeyPair
let keySet: { keys: object[] }

type CryptoKeyPair = Awaited<ReturnType<typeof generateKeyPair>>

beforeAll(async () => {
  keys = await generateKeyPair('ES256')
  keySet = { keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'ES256' }] }
})

function sign(claims: JWTPayload = {}, key = keys.privateKey): Promise<string> {
  const all = { iss: ISSUER, aud: 'clusters', sub: 'ada', exp: Date.now() / 1000 + 60, ...claims }
  return new SignJWT(all).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(key)
}

function authenticator(options: Partial<JwtAuthenticatorOptions> = {}, failures: unknown[] = []) {
  const all = { issuer: ISSUER, audiences: ['clusters'], keySet, ...options } as JwtAuthenticatorOptions
  return jwtAuthenticator(all, (error) => failures.push(error))
}

describe('a token of an issuer that is trusted', () => {
  it('stands for a user whose name contains the issuer', async () => {
    expect(await authenticator()(await sign())).toEqual({ username: `${ISSUER}#ada`, groups: [] })
  })

  it('names the user and the groups by the claims and with the prefixes that are wanted', async () => {
    const read = authenticator({ usernameClaim: 'email', groupsClaim: 'teams', groupsPrefix: 'oidc:' })
    const token = await sign({ email: 'ada@example.com', teams: ['dev', 'ops'] })
    expect(await read(token)).toEqual({ username: 'ada@example.com', groups: ['oidc:dev', 'oidc:ops'] })
    expect(await read(await sign({ email: 'ada@example.com', email_verified: false }))).toBeUndefined()
  })

  it('never makes a user of the server’s own, nor puts one in its groups', async () => {
    const read = authenticator({ usernamePrefix: '', groupsClaim: 'groups' })
    expect(await read(await sign({ sub: 'system:admin' }))).toBeUndefined()
    expect(await read(await sign({ groups: ['system:masters', 'dev'] }))).toMatchObject({ groups: ['dev'] })
  })

  it.each<[string, JWTPayload]>([
    ['is out of date', { exp: 1000 }],
    ['has no end', { exp: undefined as never }],
    ['is not good yet', { nbf: Date.now() / 1000 + 600 }],
    ['is for somebody else', { aud: 'another' }],
    ['is of another issuer', { iss: 'https://elsewhere.example.com' }],
    ['names nobody', { sub: '' }],
  ])('is refused when it %s', async (_, claims) => {
    expect(await authenticator()(await sign(claims))).toBeUndefined()
  })

  it('is refused when another key has signed it, none has, or a secret', async () => {
    const read = authenticator()
    const { privateKey } = await generateKeyPair('ES256')
    expect(await read(await sign({}, privateKey))).toBeUndefined()
    const [, payload] = (await sign()).split('.')
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    expect(await read(`${none}.${payload}.`)).toBeUndefined()
    const secret = await new SignJWT({ iss: ISSUER, aud: 'clusters', sub: 'ada', exp: Date.now() })
      .setProtectedHeader({ alg: 'HS256', kid: 'one' })
      .sign(Buffer.from(JSON.stringify(keySet.keys[0])))
    expect(await read(secret)).toBeUndefined()
    expect(await read('no token')).toBeUndefined()
  })
})

describe('a key set', () => {
  it('is read from a file', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'keys.json')
    writeFileSync(file, JSON.stringify(keySet))
    expect(await authenticator({ keySet: file })(await sign())).toBeDefined()
    expect(() => authenticator({ keySet: join(folder, 'missing') })).toThrow(
      /^failed to read the key set .*missing/,
    )
  })

  it('is fetched from a URL whose server shows a certificate of the authority', async () => {
    const authority = await certificateAuthority()
    const { certificate: cert, key } = await authority.server(['localhost'])
    const server = createServer({ cert, key }, (_, response) => response.end(JSON.stringify(keySet)))
    server.listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const url = `https://localhost:${(server.address() as AddressInfo).port}/keys`
    const trusted = { keySet: url, certificateAuthority: authority.certificate }
    expect(await authenticator(trusted)(await sign())).toBeDefined()
    const failures: unknown[] = []
    expect(await authenticator({ keySet: url }, failures)(await sign())).toBeUndefined()
    expect(failures).toMatchObject([{ message: expect.stringContaining('certificate') }])
  })

  it('is not fetched in the clear, and an issuer needs an audience', () => {
    expect(() => authenticator({ keySet: 'http://login.example.com/keys' })).toThrow('over https: only')
    expect(() => authenticator({ audiences: [] })).toThrow('name yours')
  })
})
