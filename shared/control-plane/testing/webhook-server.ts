import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Json } from '../../../test/support/raw-client.ts'
import { jsonText, parseJson } from '../apimachinery/json/exact-numbers.ts'
import { certificateAuthority } from '../auth/security/certificates.ts'

/**
 * Answers one request to a webhook. If it returns nothing, what it writes by itself counts. `path` includes
 * the query.
 */
export type WebhookHandler = (body: Json, response: ServerResponse, path: string) => Json

/** A webhook on this machine, with a certificate of an authority of its own. */
export interface WebhookServer {
  /** `https://127.0.0.1:<port>`, without a path. */
  readonly url: string
  /** The authority as `caBundle` of a client configuration: base64 of PEM. */
  readonly caBundle: string
  /** Bodies of all requests up to now, in their order. */
  readonly requests: Json[]
  /** Number of connections so far. */
  readonly connections: number
  /** Answers from here on with another function. */
  answer(handler: WebhookHandler): void
  close(): Promise<void>
}

export async function startWebhookServer(handler: WebhookHandler): Promise<WebhookServer> {
  const authority = await certificateAuthority()
  const { certificate, key } = await authority.server(['127.0.0.1', 'localhost'])
  const requests: Json[] = []
  let current = handler
  let connections = 0
  const server = createServer({ cert: certificate, key }, async (request, response) => {
    // A client that follows redirects, as Go's does, asks again without a body.
    const body = parseJson((await textOf(request)) || 'null')
    requests.push(body)
    const answer = current(body, response, request.url ?? '')
    if (answer === undefined) return
    response.setHeader('content-type', 'application/json')
    response.end(jsonText(answer))
  })
  server.on('connection', () => connections++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `https://127.0.0.1:${port}`,
    caBundle: Buffer.from(authority.certificate).toString('base64'),
    requests,
    get connections() {
      return connections
    },
    answer: (next) => {
      current = next
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
