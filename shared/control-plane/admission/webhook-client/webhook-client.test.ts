import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { ObjectReader } from '../../apiserver/registry/object-reader.ts'
import { startWebhookServer, type WebhookServer } from '../../testing/webhook-server.ts'
import { WebhookClient, type WebhookClientOptions } from './webhook-client.ts'

const nothing: ObjectReader = { get: () => undefined, list: () => [] }

describe('a webhook', () => {
  let server: WebhookServer
  beforeAll(async () => {
    server = await startWebhookServer((body) => ({ echo: body }))
  })
  afterAll(async () => server.close())

  const { signal } = new AbortController()
  const client = (
    clientConfig: JsonObject = {},
    { objects = nothing, ...more }: Partial<WebhookClientOptions> = {},
  ): WebhookClient =>
    new WebhookClient({
      clientConfig: { url: `${server.url}/path`, caBundle: server.caBundle, ...clientConfig },
      objects,
      signal,
      ...more,
    })
  const callWith = async (answer: (response: ServerResponse) => unknown, seconds = 10): Promise<unknown> => {
    server.answer((_body, response) => void answer(response))
    const caller = client()
    try {
      return await caller.call({}, seconds)
    } finally {
      caller.retire()
    }
  }

  it('is reached through its Service, by the name that the certificate has to be for', async () => {
    server.answer((body) => ({ echo: body }))
    const port = Number(new URL(server.url).port)
    const slice = {
      metadata: { name: 's-1', labels: { 'kubernetes.io/service-name': 's' } },
      ports: [{ name: '', port }],
      endpoints: [{ addresses: ['127.0.0.1'] }],
    }
    const service: KubeObject = {
      metadata: { name: 's' },
      spec: { type: 'ClusterIP', clusterIP: '10.0.0.1', ports: [{ port: 443 }], ipFamilies: ['IPv4'] },
    }
    const objects: ObjectReader = { get: () => service, list: () => [slice] }
    const { url: _, ...config } = {
      url: '',
      service: { name: 's', namespace: 'n' },
      caBundle: server.caBundle,
    }
    const through = new WebhookClient({ clientConfig: config, objects, signal })
    // The certificate is for 127.0.0.1 alone: a client that took the address for the name would get an
    // answer.
    await expect(through.call({}, 10)).rejects.toThrow(
      /^Post "https:\/\/s\.n\.svc:443\/\?timeout=10s": tls: failed to verify certificate: x509: .*s\.n\.svc/,
    )
  })

  it('that closes a connection which was kept is asked again over a new one', async () => {
    const used = new Set<unknown>()
    server.answer((_body, response) => {
      const { socket } = response
      if (used.has(socket)) return void socket?.destroy()
      used.add(socket)
      return { fine: true }
    })
    const caller = client()
    for (let round = 0; round < 3; round++) expect(await caller.call({}, 10)).toEqual({ fine: true })
    expect(used.size).toBe(3)
    caller.retire()
  })

  it('is let come to its answer by a client that is retired, which keeps no connection then', async () => {
    const held = Promise.withResolvers<ServerResponse>()
    server.answer((_body, response) => held.resolve(response))
    const caller = client()
    const calling = caller.call({}, 10)
    const response = await held.promise
    caller.retire()
    const { socket } = response
    response.end('{"late":true}')
    expect(await calling).toEqual({ late: true })
    await expect.poll(() => socket?.destroyed ?? true).toBe(true)
  })

  it('is left alone when the signal comes, by a client that is retired too, and is not connected to after that', async () => {
    const held = Promise.withResolvers<ServerResponse>()
    server.answer((_body, response) => held.resolve(response))
    const closing = new AbortController()
    const caller = client({}, { signal: closing.signal })
    const calling = caller.call({}, 30)
    const { socket } = await held.promise
    caller.retire()
    closing.abort()
    await expect(calling).rejects.toThrow('context deadline exceeded')
    await expect.poll(() => socket?.destroyed).toBe(true)
    const before = server.connections
    await expect(caller.call({}, 30)).rejects.toThrow('context deadline exceeded')
    expect(server.connections).toBe(before)
  })

  it('that is absent is reported in the words of Go', async () => {
    const gone = await startWebhookServer(() => ({}))
    await gone.close()
    const { port } = new URL(gone.url)
    await expect(client({ url: `${gone.url}/x` }).call({}, 10)).rejects.toThrow(
      `Post "${gone.url}/x?timeout=10s": dial tcp 127.0.0.1:${port}: connect: connection refused`,
    )
  })

  it('that never ends its answer is given up at the size that an answer may have', async () => {
    const endless = (response: ServerResponse): void => {
      const chunk = Buffer.alloc(1024 * 1024, 'a')
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
      }
      response.on('drain', more)
      more()
    }
    await expect(callWith(endless)).rejects.toThrow('the answer is larger than 3145736 bytes')
  })

  it('whose answer is nested without end is refused', async () => {
    await expect(callWith((response) => response.end('['.repeat(100_000)))).rejects.toThrow(
      'exceeded max depth 500',
    )
  })

  it('that closes the connection is reported as EOF', async () => {
    await expect(callWith((response) => response.destroy())).rejects.toThrow(/: EOF$/)
  })

  it.each([
    [500, 'oops', 'an error on the server ("oops") has prevented the request from succeeding'],
    [404, 'oops', 'the server could not find the requested resource'],
    [302, '', 'the server responded with the status code 302 but did not return more information'],
    [403, '{"kind":"Status","status":"Failure","message":"not you"}', 'not you'],
    [400, '{"kind":"Status","message":"no"}', 'the server rejected our request for an unknown reason'],
    [200, '', '0-length response with status code: 200 and content type: application/json'],
  ])('that answers %i %s has failed', async (code, body, text) => {
    const answer = (response: ServerResponse): void => {
      response.statusCode = code
      response.end(body)
    }
    await expect(callWith(answer)).rejects.toThrow(text)
  })
})
