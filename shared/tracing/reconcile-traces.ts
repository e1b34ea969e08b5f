import { AsyncLocalStorage } from 'node:async_hooks'
import { type ApiClient, type Resource, untilAborted } from '../kubernetes/index.ts'
import type { Reconcile } from '../queue/consumer/index.ts'
import type { ReconcileOutcome } from '../reconciler/index.ts'
import { keyAttributes, type Span, type SpanOptions, type Tracing } from './tracing.ts'

/**
 * Traces of changes within a function: from the message to the calls that read and write.
 * @param open opens the tracing; called with the first message that carries a context
 */
export function createReconcileTraces(open: () => Promise<Tracing | undefined>) {
  const current = new AsyncLocalStorage<Span>()
  const clients = new WeakMap<ApiClient, ApiClient>()
  let opened: Tracing | undefined
  return {
    /** Wraps a reconcile function: keys whose messages carry a trace context get a span each. */
    reconcile:
      (reconcile: Reconcile): Reconcile =>
      async (message, context) => {
        const { traceparents: [parent, ...links] = [], messageIds } = message
        if (parent === undefined) return reconcile(message, context)
        opened ??= await open()
        const span = opened?.start('reconcile', {
          kind: 'consumer',
          parent,
          links,
          attributes: {
            ...keyAttributes(message),
            'messaging.system': 'aws_sqs',
            'messaging.operation.type': 'process',
            'messaging.message.id': messageIds[0] ?? '',
            'messaging.batch.message_count': messageIds.length,
            'sliceflow.receive_count': context.receiveCount,
          },
        })
        if (span === undefined) return reconcile(message, context)
        await ended(span, () => current.run(span, () => reconcile(message, context)))
      },
    /** Wraps a client: each call within such a span gets a child span. */
    client(client: ApiClient): ApiClient {
      const known =
        clients.get(client) ??
        traceCalls(client, (name, options, call) => {
          const span = current.getStore()?.child(name, options)
          return span === undefined ? call() : ended(span, call)
        })
      clients.set(client, known)
      return known
    },
    /** Records the outcome in the key's span. */
    reconciled: ({ created, updated, deleted, attempts, fullSyncReason }: ReconcileOutcome): void =>
      current.getStore()?.annotate({
        'sliceflow.slices.created': created,
        'sliceflow.slices.updated': updated,
        'sliceflow.slices.deleted': deleted,
        'sliceflow.attempts': attempts,
        ...(fullSyncReason !== undefined && { 'sliceflow.full_sync_reason': fullSyncReason }),
      }),
    /** Exports ended spans until `signal` aborts. Never rejects. */
    flush: async (signal: AbortSignal): Promise<void> => {
      if (opened !== undefined) await Promise.race([opened.flush(), untilAborted(signal)])
    },
  }
}

/** Calls, and ends the span with the result or error. */
async function ended<T>(span: Span, call: () => Promise<T>): Promise<T> {
  try {
    const result = await call()
    span.end()
    return result
  } catch (error) {
    span.end(error ?? 'unknown')
    throw error
  }
}

/** Calls within a child span, if there is a parent span. */
type CallWithin = <T>(name: string, options: SpanOptions, call: () => Promise<T>) => Promise<T>

/** Wraps a client so that each call with a single response has a span: `update endpointslices`. */
function traceCalls(client: ApiClient, within: CallWithin): ApiClient {
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
