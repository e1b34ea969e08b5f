import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Secrets Manager on loopback, as far as the deployed functions use it. */
export interface SecretsStandIn {
  readonly endpoint: string
  /** Secrets by their ARN. */
  readonly secrets: Map<string, string>
  stop(): Promise<void>
}

export async function startSecretsManager(): Promise<SecretsStandIn> {
  const secrets = new Map<string, string>()
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const text = secrets.get((JSON.parse(body) as { SecretId: string }).SecretId)
    const answer =
      text === undefined
        ? { __type: 'ResourceNotFoundException', message: 'no such secret' }
        : { SecretString: text }
    response.writeHead(text === undefined ? 400 : 200, { 'content-type': 'application/x-amz-json-1.1' })
    response.end(JSON.stringify(answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    secrets,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
