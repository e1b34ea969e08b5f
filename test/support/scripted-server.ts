import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { certificateAuthority } from '../../shared/control-plane/index.ts'
import type { ClusterConnection, Credentials } from '../../shared/kubernetes/index.ts'
import { listenLocally } from './local-server.ts'

/** An https server on loopback that answers as a test says. */
export interface ScriptedServer {
  readonly connection: ClusterConnection
  /** `GET /path?query` of every request, in order. */
  readonly requests: string[]
  /** Connections accepted so far. */
  readonly connections: () => number
  /** Answers from now on. */
  answer(script: (request: IncomingMessage, response: ServerResponse) => void): void
  close(): Promise<void>
}

export async function startScriptedServer(credentials?: () => Partial<Credentials>): Promise<ScriptedServer> {
  const authority = await certificateAuthority()
  const { certificate, key } = await authority.server(['127.0.0.1'])
  let script = (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(500).end('the test gave no script')
  }
  const requests: string[] = []
  let connections = 0
  const server = createServer({ cert: certificate, key }, (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    script(request, response)
  })
  server.on('secureConnection', () => {
    connections++
  })
  const { port, close } = await listenLocally(server)
  return {
    connection: {
      name: 'scripted',
      server: new URL(`https://127.0.0.1:${port}`),
      credentials: async () => ({ headers: {}, ca: authority.certificate, ...credentials?.() }),
    },
    requests,
    connections: () => connections,
    answer: (next) => {
      script = next
    },
    close,
  }
}

export function answerJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
