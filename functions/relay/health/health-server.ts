import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Registry } from 'prom-client'
import { createGuardedServer, type GuardedServer } from '../../../shared/http-server/index.ts'
import type { ProbeResult, Probes } from './health.ts'

interface HealthServerOptions {
  readonly registry: Registry
  /** Asked at each probe. */
  readonly health: () => Probes
  /** Further paths, and the document that each answers with, as JSON. */
  readonly documents?: ReadonlyMap<string, () => unknown>
}

/**
 * `/metrics` for Prometheus, `/healthz` (liveness) and `/readyz`, each probe with one line that says why. It
 * answers from the event loop that does the work: a probe that is not answered in time reveals one that is
 * blocked.
 */
type HealthServer = Pick<GuardedServer, 'listen' | 'stop'>

export function createHealthServer({ registry, health, documents }: HealthServerOptions): HealthServer {
  const paths = ['/metrics', ...(documents?.keys() ?? []), '/healthz', '/readyz']

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url?.split('?')[0] ?? ''
    const document = documents?.get(path)
    if (path === '/metrics') void answerMetrics(registry, response)
    else if (path === '/healthz') answerProbe(health().live, response)
    else if (path === '/readyz') answerProbe(health().ready, response)
    else if (document !== undefined) answerDocument(document(), response)
    else response.writeHead(404).end(`there are ${paths.join(', ')}\n`)
  }

  return createGuardedServer({ answer })
}

async function answerMetrics(registry: Registry, response: ServerResponse): Promise<void> {
  const text = await registry.metrics()
  response.setHeader('content-type', registry.contentType)
  response.end(text)
}

function answerProbe({ ok, reason }: ProbeResult, response: ServerResponse): void {
  response.writeHead(ok ? 200 : 503).end(`${reason}\n`)
}

function answerDocument(document: unknown, response: ServerResponse): void {
  response.setHeader('content-type', 'application/json')
  response.end(`${JSON.stringify(document)}\n`)
}
