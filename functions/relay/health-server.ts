import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Registry } from 'prom-client'
import type { Probes, Verdict } from './health.ts'

export interface HealthServerOptions {
  readonly registry: Registry
  /** Asked at each probe. */
  readonly health: () => Probes
  /** Further paths, and the document that each answers with, as JSON. */
  readonly documents?: ReadonlyMap<string, () => unknown>
}

/**
 * `/metrics` for Prometheus, `/healthz` (liveness) and `/readyz`, each probe with one line that says why. It
 * answers from the event loop that does the work: a probe that is not answered in time tells of one that is
 * blocked.
 */
export interface HealthServer {
  /**
   * Resolves to the port; rejects with the system's error where it is taken.
   * @param port 0 picks one
   * @param address an IP address; default: 127.0.0.1
   */
  listen(port: number, address?: string): Promise<number>
  stop(): Promise<void>
}

export function createHealthServer({ registry, health, documents }: HealthServerOptions): HealthServer {
  const paths = ['/metrics', ...(documents?.keys() ?? []), '/healthz', '/readyz']
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0] ?? ''
    const document = documents?.get(path)
    if (path === '/metrics') void answerMetrics(registry, response)
    else if (path === '/healthz') answerVerdict(health().live, response)
    else if (path === '/readyz') answerVerdict(health().ready, response)
    else if (document !== undefined) answerDocument(document(), response)
    else response.writeHead(404).end(`there are ${paths.join(', ')}\n`)
  })
  return {
    async listen(port, address = '127.0.0.1') {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      server.once('error', reject)
      server.listen(port, address, resolve)
      await promise
      return (server.address() as AddressInfo).port
    },
    async stop() {
      if (!server.listening) return
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

async function answerMetrics(registry: Registry, response: ServerResponse): Promise<void> {
  const text = await registry.metrics()
  response.setHeader('content-type', registry.contentType)
  response.end(text)
}

function answerVerdict({ ok, reason }: Verdict, response: ServerResponse): void {
  response.writeHead(ok ? 200 : 503).end(`${reason}\n`)
}

function answerDocument(document: unknown, response: ServerResponse): void {
  response.setHeader('content-type', 'application/json')
  response.end(`${JSON.stringify(document)}\n`)
}
