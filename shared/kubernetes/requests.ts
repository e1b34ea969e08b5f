import type { GetOptions, ListOptions, WatchOptions } from './api-client.ts'
import { type ApiObject, apiVersionOf, type ObjectRef, pathOf, type Resource } from './resources.ts'
import type { TransportRequest } from './transport/transport.ts'

const METADATA_OBJECT = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'
const METHODS = { get: 'GET', create: 'POST', update: 'PUT', patch: 'PATCH', delete: 'DELETE' } as const

/** Returns what writes requests for one object of a cluster. */
export const objectRequests =
  (cluster: string) =>
  (
    verb: keyof typeof METHODS,
    resource: Resource,
    ref: ObjectRef,
    { signal, notOlderThan, ...options }: GetOptions = {},
  ): TransportRequest => {
    const { namespace, name, subresource } = ref
    const text = namespace === undefined ? name : `${namespace}/${name}`
    return {
      method: METHODS[verb],
      path:
        pathOf(resource, verb === 'create' ? { namespace } : ref) +
        (notOlderThan === undefined ? '' : listQuery({}, { resourceVersion: notOlderThan })),
      accept: acceptOf(options),
      action: `${verb} ${resource.kind}${subresource ? ` ${subresource}` : ''} ${text} of cluster ${cluster}`,
      signal,
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

export const refOf = (object: ApiObject): ObjectRef => ({
  namespace: object.metadata?.namespace,
  name: object.metadata?.name ?? '',
})

export const inNamespace = (namespace: string | undefined): string =>
  namespace === undefined ? '' : ` in namespace ${namespace}`

export const bodyOf = (resource: Resource, object: ApiObject): string =>
  JSON.stringify({ ...object, apiVersion: apiVersionOf(resource), kind: resource.kind })

const acceptOf = (options: { readonly metadataOnly?: boolean } | undefined): string | undefined =>
  options?.metadataOnly ? METADATA_OBJECT : undefined

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
