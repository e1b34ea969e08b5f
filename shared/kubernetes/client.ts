import type { IncomingMessage } from 'node:http'
import { isRecord, recordOf } from '../values/index.ts'
import type { ApiClient, WatchEvent, WatchOptions } from './api-client.ts'
import { type CallLimiter, createCallLimiter } from './call-limits/call-limiter.ts'
import type { ClusterConnection } from './connection.ts'
import { ConnectionError, withGrantAdvice } from './errors/errors.ts'
import type { ClientRole } from './errors/grant-advice.ts'
import { refusalOf } from './errors/refusal.ts'
import { createPager, type Reading } from './pager.ts'
import { bodyOf, objectRequests, pingRequest, refOf, watchRequest } from './requests.ts'
import type { ApiObject, ObjectRef, Resource } from './resources.ts'
import { createHeartbeat, PING_TIMEOUT_MS } from './transport/heartbeat.ts'
import { beginOf, createTransport, isTooLarge, type TransportRequest } from './transport/transport.ts'
import { readWatch } from './watch-stream.ts'

export interface ApiClientOptions {
  /** Limit of one call, or of the first byte of a watch, in milliseconds; default 30,000. */
  readonly timeoutMs?: number
  /** Decides when each call goes out, watches excepted; default: all do at once. */
  readonly limiter?: CallLimiter
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
  { timeoutMs = 30_000, limiter = createCallLimiter({}), onSilence, role }: ApiClientOptions = {},
): ApiClient {
  const { name: cluster, server } = connection
  const transport = createTransport(connection)

  /** Sends a request when the limiter lets it go, and reads the JSON that answers it. */
  const call = <T>(request: TransportRequest, isAnswer: (json: unknown) => boolean = () => true) =>
    limiter(request, async () => {
      const { action } = request
      const response = await transport.send(request, timeoutMs)
      if (response.status >= 400) throw withGrantAdvice(refusalOf(action, response), role)
      const json = parse<T>(action, response.text)
      if (isAnswer(json)) return json
      throw new ConnectionError(`failed to ${action}: the answer is not this object`, 'EBADMESSAGE')
    })

  /** What stands before a server may answer in its place, with JSON that must not pass for an object. */
  const callForObject = <T extends ApiObject>(request: TransportRequest, { name }: ObjectRef): Promise<T> =>
    call(request, (json) => isRecord(json) && (name === '' || recordOf(json.metadata).name === name))

  /** Does the same, if the answer is not too large, for a page of a list. */
  const callWithin = <T>(request: TransportRequest, { nextTurn, edit = whole }: Reading = {}) =>
    limiter(request, async () => {
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
    get: (resource, ref, options) => callForObject(requestFor('get', resource, ref, options), ref),
    create: (resource, object, options) => {
      const ref = refOf(object)
      const request = requestFor('create', resource, ref, options)
      return callForObject({ ...request, body: bodyOf(resource, object) }, ref)
    },
    update: (resource, object, { subresource, ...options } = {}) => {
      const ref = { ...refOf(object), subresource }
      const request = requestFor('update', resource, ref, options)
      return callForObject({ ...request, body: bodyOf(resource, object) }, ref)
    },
    patch: (resource, ref, patch, options) => {
      const request = requestFor('patch', resource, ref, options)
      const body = JSON.stringify(patch)
      return callForObject({ ...request, body, contentType: 'application/merge-patch+json' }, ref)
    },
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
