import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Registry } from 'prom-client'
import { createClusterCallsMetrics, createSliceMetrics } from '../../shared/telemetry/index.ts'
import { createShadowMetrics, PersistentConflictError } from '../reconcile/index.ts'
import type { LocalObserver } from './local.ts'
import type { StatusDocument } from './status-record.ts'

/** Metrics, and the server that tells them on 127.0.0.1: `/metrics`, `/status`, `/healthz` and `/readyz`. */
export interface Metrics {
  /** Feeds the metrics. */
  readonly observer: Pick<
    LocalObserver,
    'onReconciled' | 'onFailed' | 'onCompared' | 'onDeadLetter' | 'onLeft' | 'onClusters'
  >
  /** From now on `/readyz` says yes: every cluster was listed. */
  setReady(): void
  /** @param port 0 picks one. Rejects with the system's error where it is taken. */
  listen(port: number): Promise<{ readonly url: string }>
  stop(): Promise<void>
}

/** @param status what `/status` says; default: there is none */
export function createMetrics(status?: () => StatusDocument): Metrics {
  const registry = new Registry()
  const metrics = createSliceMetrics(registry)
  const calls = createClusterCallsMetrics(registry)
  let isReady = false
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0]
    if (path === '/metrics') return void answerMetrics(registry, response)
    if (path === '/status' && status !== undefined) return answerStatus(status(), response)
    if (path === '/healthz') return void response.end('ok\n')
    if (path === '/readyz') {
      response.statusCode = isReady ? 200 : 503
      return void response.end(isReady ? 'ok\n' : 'not every cluster was listed yet\n')
    }
    response.statusCode = 404
    response.end('there are /metrics, /status, /healthz and /readyz\n')
  })
  return {
    observer: {
      onReconciled: ({ key, planned, ...written }) =>
        metrics.synced(key, planned && { ...written, ...planned }),
      onFailed: (_, error) => metrics.failed(error instanceof PersistentConflictError ? 'stale' : 'error'),
      onCompared: createShadowMetrics(registry),
      onDeadLetter: ({ failureClass }) => calls.deadLetter(failureClass),
      onLeft: ({ cluster }) => calls.left(cluster),
      onClusters: (read) => calls.readFrom(read),
    },
    setReady: () => {
      isReady = true
    },
    listen: (port) => listen(server, port),
    stop: () => stop(server),
  }
}

type Answer = Pick<ServerResponse, 'setHeader' | 'end'>

async function answerMetrics(registry: Registry, response: Answer): Promise<void> {
  const text = await registry.metrics()
  response.setHeader('content-type', registry.contentType)
  response.end(text)
}

function answerStatus(status: StatusDocument, response: Answer): void {
  response.setHeader('content-type', 'application/json')
  response.end(`${JSON.stringify(status)}\n`)
}

async function listen(server: Server, port: number): Promise<{ url: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(port, '127.0.0.1', resolve)
  await promise
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

async function stop(server: Server): Promise<void> {
  if (!server.listening) return
  server.closeAllConnections()
  await new Promise<void>((resolve) => server.close(() => resolve()))
}
