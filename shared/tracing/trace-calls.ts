import type { ApiClient, Resource } from '../kubernetes/index.ts'
import type { SpanOptions } from './tracing.ts'

/** Calls within a child span, if there is a parent span. */
type CallWithin = <T>(name: string, options: SpanOptions, call: () => Promise<T>) => Promise<T>

/** Wraps a client so that each call with a single response has a span: `update endpointslices`. */
export function traceCalls(client: ApiClient, within: CallWithin): ApiClient {
  const traced = <T>(verb: string, resource: Resource, name: string | undefined, call: () => Promise<T>) =>
    within(
      `${verb} ${resource.plural}`,
      {
        kind: 'client',
        attributes: {
          'k8s.cluster.name': client.cluster,
          'sliceflow.api.verb': verb,
          'sliceflow.api.resource': resource.plural,
          ...(name !== undefined && { 'sliceflow.api.name': name }),
        },
      },
      call,
    )
  return {
    ...client,
    get: (resource, ref, options) =>
      traced('get', resource, ref.name, () => client.get(resource, ref, options)),
    list: (resource, options) => traced('list', resource, undefined, () => client.list(resource, options)),
    create: (resource, object, options) =>
      traced('create', resource, object.metadata?.name, () => client.create(resource, object, options)),
    update: (resource, object, options) =>
      traced('update', resource, object.metadata?.name, () => client.update(resource, object, options)),
    patch: (resource, ref, patch, options) =>
      traced('patch', resource, ref.name, () => client.patch(resource, ref, patch, options)),
    delete: (resource, ref, options) =>
      traced('delete', resource, ref.name, () => client.delete(resource, ref, options)),
  }
}
