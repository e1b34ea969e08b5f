import type { IncomingMessage } from 'node:http'
import type { ApiClient, WatchOptions } from './api-client.ts'
import { type CallGuard, createCallGuard } from './call-limits/call-guard.ts'
import { createCaller } from './caller.ts'
import type { ClusterConnection } from './connection.ts'
import { withGrantAdvice } from './errors/errors.ts'
import type { ClientRole } from './errors/grant-advice.ts'
import { refusalOf } from './errors/refusal.ts'
import { createPager } from './pager.ts'
import { pingRequest, requestsOf, watchRequest } from './requests.ts'
import type { ApiObject, Resource } from './resources.ts'
import { createHeartbeat, PING_TIMEOUT_MS } from './transport/heartbeat.ts'
import { createTransport } from './transport/transport.ts'
import { readWatch, type WatchEvent } from './watch-stream.ts'

export interface ApiClientOptions {
  /** Limit of one call, or of the first byte of a watch, in milliseconds; default 30,000. */
  readonly timeoutMs?: number
  /** Decides when each call goes out, watches excepted; default: all do at once. */
  readonly guard?: CallGuard
  /** Called when the server has been silent on all watches and did not answer a request either. */
  readonly onSilence?: (error: Error) => void
  /** Roles of infra/rbac that it goes by, for what errors advise; default `function`. */
  readonly role?: ClientRole | undefined
}

/**
 * @example
 * ```ts
 * const [cluster] = await loadClusters('kubeconfig')
 * if (cluster === undefined) throw new Error('no cluster')
 * const client = createApiClient(cluster, { timeoutMs: 5_000 })
 * ```
 */
export function createApiClient(
  connection: ClusterConnection,
  { timeoutMs = 30_000, guard = createCallGuard({}), onSilence, role }: ApiClientOptions = {},
): ApiClient {
  const { name: cluster, server } = connection
  const transport = createTransport(connection)
  const { call, callWithin } = createCaller({ transport, guard, timeoutMs, role })
  const { list, pages } = createPager(cluster, callWithin)
  const requests = requestsOf(cluster)
  const heartbeat = createHeartbeat({
    cluster,
    ping: () => transport.send(pingRequest(cluster), PING_TIMEOUT_MS),
    onSilence,
  })

  async function watch<T extends ApiObject>(
    resource: Resource<T>,
    options: WatchOptions,
  ): Promise<AsyncGenerator<WatchEvent<T>>> {
    const request = watchRequest(cluster, resource, options)
    const { action } = request
    const response = await transport.open(request, timeoutMs)
    if (response.statusCode !== 200) throw await refusedWatch(action, response, role)
    const guarded = heartbeat.watch((error) => response.destroy(error))
    response.once('close', () => guarded.ended())
    return readWatch(response, {
      action,
      server,
      ...options,
      managedFields: options.selection?.managedFields,
      onSilence: () => transport.dropIdle(),
      onBytes() {
        guarded.heard()
        options.onBytes?.()
      },
    })
  }

  return {
    cluster,
    list,
    pages,
    watch,
    get: (resource, ref, options) => call(requests.get(resource, ref, options)),
    create: (resource, object, options) => call(requests.create(resource, object, options)),
    update: (resource, object, options) => call(requests.update(resource, object, options)),
    patch: (resource, ref, patch, options) => call(requests.patch(resource, ref, patch, options)),
    delete: async (resource, ref, options) => {
      await call(requests.delete(resource, ref, options))
    },
    read: (path, options) => call(requests.read(path, options)),
    close: () => transport.close(),
  }
}

async function refusedWatch(
  action: string,
  response: IncomingMessage,
  role: ClientRole | undefined,
): Promise<Error> {
  let text = ''
  for await (const chunk of response) {
    text += chunk
    if (text.length > 65_536) break
  }
  const { statusCode: status = 0, headers } = response
  return withGrantAdvice(refusalOf(action, { status, headers, text }), role)
}
