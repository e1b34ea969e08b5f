import type { IncomingMessage } from 'node:http'
import { isRecord } from '../values/index.ts'
import type { ApiClient, WatchEvent, WatchOptions } from './api-client.ts'
import { type CallGuard, createCallGuard } from './call-limits/call-guard.ts'
import type { ClusterConnection } from './connection.ts'
import { ConnectionError, withGrantAdvice } from './errors/errors.ts'
import type { ClientRole } from './errors/grant-advice.ts'
import { refusalOf } from './errors/refusal.ts'
import { createPager, type Reading } from './pager.ts'
import { bodyOf, objectRequests, pingRequest, refOf, watchRequest } from './requests.ts'
import type { ApiObject, Resource } from './resources.ts'
import { createHeartbeat, PING_TIMEOUT_MS } from './transport/heartbeat.ts'
import { beginOf, createTransport, isTooLarge, type TransportRequest } from './transport/transport.ts'
import { readWatch } from './watch-stream.ts'

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

  /** Sends a request when the guard lets it go, and reads the JSON that answers it. */
  const call = <T>(request: TransportRequest): Promise<T> =>
    guard(request, async () => {
      const { action } = request
      const response = await transport.send(request, timeoutMs)
      if (response.status >= 400) throw withGrantAdvice(refusalOf(action, response), role)
      return parse<T>(action, response.text)
    })

  async function callForObject<T extends ApiObject>(request: TransportRequest): Promise<T> {
    const object = await call<unknown>(request)
    if (isRecord(object)) return object as T
    throw new ConnectionError(`failed to ${request.action}: the answer is not an object`, 'EBADMESSAGE')
  }

  /** Does the same, if the answer is not too large, for a page of a list. */
  const callWithin = <T>(request: TransportRequest, { nextTurn, edit = whole }: Reading = {}) =>
    guard(request, async () => {
      const { action } = request
      const response = await transport.send(request, timeoutMs).catch(tooLarge)
      if (response === undefined) return undefined
      await nextTurn?.()
      if (response.status >= 400) throw withGrantAdvice(refusalOf(action, response), role)
      return { body: parse<T>(action, edit(response.text)), bytes: response.text.length }
    })

  const requestFor = objectRequests(cluster)
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
    const response = await transport.open(request, timeoutMs, acceptedOrWhy)
    if ('text' in response) throw withGrantAdvice(refusalOf(action, response), role)
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
    address: () => transport.address(),
    ...createPager(cluster, callWithin),
    watch,
    get: (resource, ref, options) => callForObject(requestFor('get', resource, ref, options)),
    create: (resource, object, options) =>
      callForObject({
        ...requestFor('create', resource, refOf(object), options),
        body: bodyOf(resource, object),
      }),
    update: (resource, object, { subresource, ...options } = {}) =>
      callForObject({
        ...requestFor('update', resource, { ...refOf(object), subresource }, options),
        body: bodyOf(resource, object),
      }),
    patch: (resource, ref, patch, options) =>
      callForObject({
        ...requestFor('patch', resource, ref, options),
        body: JSON.stringify(patch),
        contentType: 'application/merge-patch+json',
      }),
    delete: async (resource, ref, { signal, ...options } = {}) => {
      await call({
        ...requestFor('delete', resource, ref, { signal }),
        body: JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', ...options }),
      })
    },
    read: (path, options) =>
      call({ method: 'GET', path, action: `read ${path} of cluster ${cluster}`, ...options }),
    close: () => transport.close(),
  }
}

async function acceptedOrWhy(response: IncomingMessage) {
  const { statusCode: status = 0, headers } = response
  return status === 200 ? response : { status, headers, text: await beginOf(response) }
}

const whole = (json: string): string => json

function tooLarge(error: unknown): undefined {
  if (!isTooLarge(error)) throw error
}

function parse<T>(action: string, text: string): T {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ConnectionError(`failed to ${action}: the answer is not JSON`, 'EBADMESSAGE', cause)
  }
}
