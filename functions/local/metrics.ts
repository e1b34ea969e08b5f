import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSliceMetrics, type SliceMetrics } from '../../shared/telemetry/index.ts'
import { PersistentConflictError } from '../reconcile/index.ts'
import type { LocalObserver } from './local.ts'

/** Metrics, and the server that tells them on 127.0.0.1: `/metrics`, `/healthz` and `/readyz`. */
export interface Metrics {
  /** Feeds the metrics. */
  readonly observer: Pick<LocalObserver, 'onReconciled' | 'onFailed'>
  /** From now on `/readyz` says yes: every cluster was listed. */
  setReady(): void
  /** @param port 0 picks one. Rejects with the system's error where it is taken. */
  listen(port: number): Promise<{ readonly url: string }>
  stop(): Promise<void>
}

export function createMetrics(): Metrics {
  const metrics = createSliceMetrics()
  let isReady = false
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0]
    if (path === '/metrics') return void answerMetrics(metrics, response)
    if (path === '/healthz') return void response.end('ok\n')
    if (path === '/readyz') {
      response.statusCode = isReady ? 200 : 503
      return void response.end(isReady ? 'ok\n' : 'not every cluster was listed yet\n')
    }
    response.statusCode = 404
    response.end('there are /metrics, /healthz and /readyz\n')
  })
  return {
    observer: {
      onReconciled: ({ key, planned, ...written }) =>
        metrics.synced(key, planned && { ...written, ...planned }),
      onFailed: (_, error) => metrics.failed(error instanceof PersistentConflictError ? 'stale' : 'error'),
    },
    setReady: () => {
      isReady = true
    },
    listen: (port) => listen(server, port),
    stop: () => stop(server),
  }
}

async function answerMetrics(
  metrics: SliceMetrics,
  response: { setHeader(name: string, value: string): unknown; end(text: string): unknown },
): Promise<void> {
  const text = await metrics.text()
  response.setHeader('content-type', metrics.contentType)
  response.end(text)
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
