import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { request } from 'node:https'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect, it, onTestFinished } from 'vitest'
import { TestServer } from '../../testing/test-client.ts'
import { startWebhookServer } from '../../testing/webhook-server.ts'

const ISSUER = 'https://login.example.com'
const PATH = '/api/v1/namespaces/default/configmaps'
const LIMIT = 2

/** Starts an issuer that withholds its keys until released. Until then the server cannot authenticate. */
async function startIssuer() {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const asked = Promise.withResolvers<ServerResponse>()
  const server = await startWebhookServer((_body, response) => asked.resolve(response))
  onTestFinished(() => server.close())
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }]
  const token = await new SignJWT({ sub: 'ada' })
    .setProtectedHeader({ alg: 'ES256', kid: 'one' })
    .setIssuer(ISSUER)
    .setAudience('clusters')
    .setExpirationTime('1h')
    .sign(privateKey)
  const certificateAuthority = Buffer.from(server.caBundle, 'base64').toString()
  return {
    options: { issuer: ISSUER, audiences: ['clusters'], keySet: server.url, certificateAuthority },
    authorization: `Bearer ${token}`,
    asked: asked.promise,
    answer: async () => void (await asked.promise).end(JSON.stringify({ keys })),
  }
}

it('requests whose clients go away while it is found out who they are take nobody’s place', async () => {
  const issuer = await startIssuer()
  await using scene = await TestServer.start({
    authorization: () => true,
    authentication: { jwt: [issuer.options] },
    limits: { reads: LIMIT, writes: LIMIT },
  })
  const { authorization } = issuer
  const { ca, url, audit } = scene
  const http2 = connectHttp2(url, { ca })
  http2.on('error', () => undefined)
  const streams = ['GET', 'POST'].flatMap((method) =>
    Array.from({ length: LIMIT }, () => [
      request(new URL(PATH, url), { method, ca, agent: false, headers: { authorization } }),
      http2.request({ ':method': method, ':path': PATH, authorization }, { endStream: false }),
    ]).flat(),
  )
  const gone = (): number => audit.filter(({ requestURI }) => requestURI === PATH).length
  for (const stream of streams) stream.on('error', () => undefined)
  await Promise.all(streams.map((stream) => once(stream.end(), 'finish')))
  // Whoever has an answer was behind them.
  await scene.client.get('/version')
  await issuer.asked
  expect(gone()).toBe(0)
  for (const stream of streams) stream.destroy()
  http2.destroy()
  await expect.poll(gone).toBe(streams.length)
  await issuer.answer()
  const ada = scene.as({ authorization })
  for (let round = 0; round < 3; round++) {
    expect((await ada.get(PATH)).status).toBe(200)
    expect((await ada.post(PATH, { metadata: { generateName: 'a-' } })).status).toBe(201)
  }
  expect(scene.failures).toEqual([])
})
