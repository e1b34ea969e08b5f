import type {
  DeleteOptions,
  GetOptions,
  ListOptions,
  ReadOptions,
  WatchOptions,
  WriteOptions,
} from './api-client.ts'
import { type ApiObject, apiVersionOf, type ObjectRef, pathOf, type Resource } from './resources.ts'
import type { TransportRequest } from './transport/transport.ts'

const MERGE_PATCH = 'application/merge-patch+json'
const METADATA_OBJECT = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'

/** Writes the requests for single objects of one cluster, a function for each verb of the API. */
interface Requests {
  get(resource: Resource, ref: ObjectRef, options: GetOptions | undefined): TransportRequest
  create(resource: Resource, object: ApiObject, options: WriteOptions | undefined): TransportRequest
  update(
    resource: Resource,
    object: ApiObject,
    options: (WriteOptions & { readonly subresource?: string }) | undefined,
  ): TransportRequest
  patch(
    resource: Resource,
    ref: ObjectRef,
    patch: unknown,
    options: WriteOptions | undefined,
  ): TransportRequest
  delete(resource: Resource, ref: ObjectRef, options: DeleteOptions | undefined): TransportRequest
  read(path: string, options: ReadOptions | undefined): TransportRequest
}

export function requestsOf(cluster: string): Requests {
  return {
    get: (resource, ref, options) => ({
      method: 'GET',
      path: pathOf(resource, ref) + versionQuery(options?.notOlderThan),
      accept: acceptOf(options),
      action: named('get', resource, ref),
      signal: options?.signal,
    }),
    create: (resource, object, options) => {
      const ref = refOf(object)
      return {
        method: 'POST',
        path: pathOf(resource, { namespace: ref.namespace }),
        body: bodyOf(resource, object),
        accept: acceptOf(options),
        action: named('create', resource, ref),
        signal: options?.signal,
      }
    },
    update: (resource, object, options) => {
      const ref = { ...refOf(object), subresource: options?.subresource }
      return {
        method: 'PUT',
        path: pathOf(resource, ref),
        body: bodyOf(resource, object),
        accept: acceptOf(options),
        action: named('update', resource, ref),
        signal: options?.signal,
      }
    },
    patch: (resource, ref, patch, options) => ({
      method: 'PATCH',
      path: pathOf(resource, ref),
      body: JSON.stringify(patch),
      contentType: MERGE_PATCH,
      accept: acceptOf(options),
      action: named('patch', resource, ref),
      signal: options?.signal,
    }),
    delete: (resource, ref, { signal, ...options } = {}) => ({
      method: 'DELETE',
      path: pathOf(resource, ref),
      body: JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', ...options }),
      action: named('delete', resource, ref),
      signal,
    }),
    read: (path, options) => ({
      method: 'GET',
      path,
      action: `read ${path} of cluster ${cluster}`,
      signal: options?.signal,
      accept: options?.accept,
    }),
  }

  function named(verb: string, resource: Resource, ref: ObjectRef): string {
    const name = ref.namespace === undefined ? ref.name : `${ref.namespace}/${ref.name}`
    return `${verb} ${resource.kind}${ref.subresource ? ` ${ref.subresource}` : ''} ${name} of cluster ${cluster}`
  }
}

export function watchRequest(cluster: string, resource: Resource, options: WatchOptions): TransportRequest {
  const { selection = {} } = options
  const query = listQuery(selection, {
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion: options.resourceVersion,
    timeoutSeconds: String(options.timeoutSeconds),
  })
  return {
    method: 'GET',
    path: pathOf(resource, { namespace: selection.namespace }) + query,
    accept: acceptOf(selection),
    action: `watch ${resource.kind}s${inNamespace(selection.namespace)} of cluster ${cluster}`,
    signal: options.signal,
  }
}

/**
 * Probes the server; any answer will do. Every user may do so, it bypasses the queues of the server
 * (FlowSchema `probes` is exempt), and it does not involve etcd.
 */
export const pingRequest = (cluster: string): TransportRequest => ({
  method: 'GET',
  path: '/livez?exclude=etcd',
  accept: '*/*',
  action: `ask cluster ${cluster} for a sign of life`,
})

const refOf = (object: ApiObject): ObjectRef => ({
  namespace: object.metadata?.namespace,
  name: object.metadata?.name ?? '',
})

export const inNamespace = (namespace: string | undefined): string =>
  namespace === undefined ? '' : ` in namespace ${namespace}`

const bodyOf = (resource: Resource, object: ApiObject): string =>
  JSON.stringify({ ...object, apiVersion: apiVersionOf(resource), kind: resource.kind })

const acceptOf = (options: { readonly metadataOnly?: boolean } | undefined): string | undefined =>
  options?.metadataOnly ? METADATA_OBJECT : undefined

const versionQuery = (notOlderThan: string | undefined): string =>
  notOlderThan === undefined ? '' : `?resourceVersion=${encodeURIComponent(notOlderThan)}`

export type ListQuery = Readonly<Record<string, string | undefined>>

export function listQuery(
  options: Pick<ListOptions, 'labelSelector' | 'fieldSelector'>,
  more: ListQuery,
): string {
  const { labelSelector, fieldSelector } = options
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...more, labelSelector, fieldSelector }))
    if (value !== undefined) query.set(name, value)
  return `?${query}`
}
