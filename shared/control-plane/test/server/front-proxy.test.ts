import { connect as http2Connect } from 'node:http2'
import { request as httpsRequest } from 'node:https'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../../../../test/support/raw-client.ts'
import { type Authority, certificateAuthority, type KeyPair } from '../../index.ts'
import { TestServer } from '../../testing/test-client.ts'

const REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
const ADA = ['X-Remote-User', 'ada', 'X-Remote-Group', 'editors', 'X-Remote-Group', 'staff']
let frontProxies: Authority
let scene: TestServer

beforeAll(async () => {
  frontProxies = await certificateAuthority()
  scene = await TestServer.start({
    authorization: 'RBAC',
    authentication: {
      anonymous: true,
      requestHeader: { clientAuthorities: [frontProxies.certificate], allowedNames: ['front-proxy-client'] },
    },
  })
})
afterAll(() => scene[Symbol.asyncDispose]())

/**
 * Asks the server who it takes a request to be from. The request has this certificate and these headers,
 * names and values in turn.
 */
function whoAmI(pair: KeyPair | undefined, headers: readonly string[]): Promise<Json> {
  const body = '{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}'
  return new Promise((resolve, reject) => {
    const outgoing = httpsRequest(
      {
        host: '127.0.0.1',
        port: scene.url.port,
        ca: scene.ca,
        ...(pair && { cert: pair.certificate, key: pair.key }),
        agent: false,
        method: 'POST',
        path: REVIEWS,
        headers: [
          'Host',
          'localhost',
          'Content-Type',
          'application/json',
          'Content-Length',
          String(body.length),
          ...headers,
        ],
      },
      async (response) => {
        const chunks: Buffer[] = []
        for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
        const answer = JSON.parse(Buffer.concat(chunks).toString())
        resolve(answer.status?.userInfo ?? answer.code)
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

describe('a front proxy', () => {
  it('says so over HTTP/2 too', async () => {
    const { certificate, key } = await frontProxies.client('front-proxy-client', [])
    const session = http2Connect(scene.url, { ca: scene.ca, cert: certificate, key })
    const stream = session.request({
      ':method': 'GET',
      ':path': '/api/v1/secrets',
      'x-remote-user': 'ada',
      'x-remote-group': ['editors', 'staff'],
    })
    let text = ''
    for await (const chunk of stream) text += chunk
    session.close()
    expect(JSON.parse(text).message).toContain('User "ada" cannot list')
  })

  it('does not make anybody known who is not', async () => {
    const pair = await frontProxies.client('front-proxy-client', [])
    const nobody = ['X-Remote-User', 'system:anonymous', 'X-Remote-Group', 'system:unauthenticated']
    expect(await whoAmI(pair, nobody)).toBe(403)
  })

  it('is nobody itself', async () => {
    const pair = await frontProxies.client('front-proxy-client', ['system:masters'])
    expect(await whoAmI(pair, [])).toBe(401)
    expect(await whoAmI(pair, ['X-Remote-Group', 'system:masters'])).toBe(401)
  })
})

describe('the headers of a front proxy are nothing', () => {
  it('under a name that is not allowed', async () => {
    expect(await whoAmI(await frontProxies.client('somebody', []), ADA)).toBe(401)
  })

  it('from a client that this server certifies', async () => {
    const pair = { certificate: scene.adminTls.cert, key: scene.adminTls.key }
    expect(await whoAmI(pair, ADA)).toMatchObject({ username: 'kubernetes-admin' })
  })

  it('from another authority of the same name', async () => {
    const impostor = await certificateAuthority()
    expect(await whoAmI(await impostor.client('front-proxy-client', []), ADA)).toBe(401)
  })

  it('without a certificate', async () => {
    expect(await whoAmI(undefined, [...ADA, 'X-Remote-Group', 'system:masters'])).toBe(403)
  })
})
