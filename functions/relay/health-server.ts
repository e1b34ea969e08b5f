import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** `/healthz` and `/readyz` on 127.0.0.1, for the container's own health check. */
export interface HealthServer {
  readonly port: number
  /** What `/readyz` says from now on: whether every cluster was listed. */
  setReady(isReady: boolean): void
  stop(): Promise<void>
}

/** @param port 0 picks one */
export async function startHealthServer(port: number): Promise<HealthServer> {
  let isReady = false
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0]
    if (path === '/healthz') response.end('ok\n')
    else if (path !== '/readyz') response.writeHead(404).end('there are /healthz and /readyz\n')
    else if (isReady) response.end('ok\n')
    else response.writeHead(503).end('not every cluster was listed yet\n')
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    setReady: (value) => {
      isReady = value
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
