import { AsyncLocalStorage } from 'node:async_hooks'
import { type ApiClient, untilAborted } from '../kubernetes/index.ts'
import type { Reconcile } from '../queue/consumer/index.ts'
import type { ReconcileOutcome } from '../reconciler/index.ts'
import { traceCalls } from './trace-calls.ts'
import { keyAttributes, type Span, type Tracing } from './tracing.ts'

/** Traces of changes within a function: from the message to the calls that read and write. */
interface ReconcileTraces {
  /**
   * Wraps a reconcile function: each key whose messages carry a trace context gets a span. Other keys cost
   * nothing.
   */
  reconcile(reconcile: Reconcile): Reconcile
  /** Wraps a client: each call within such a span gets a child span. */
  client(client: ApiClient): ApiClient
  /** Records the outcome in the key's span. */
  reconciled(outcome: ReconcileOutcome): void
  /** Exports ended spans until `signal` aborts. Never rejects. */
  flush(signal: AbortSignal): Promise<void>
}

/** @param open opens the tracing; called with the first message that carries a context */
export function createReconcileTraces(open: () => Promise<Tracing | undefined>): ReconcileTraces {
  const current = new AsyncLocalStorage<Span>()
  const clients = new WeakMap<ApiClient, ApiClient>()
  let opened: Tracing | undefined
  return {
    reconcile: (reconcile) => async (message, context) => {
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
    client(client) {
      const known =
        clients.get(client) ??
        traceCalls(client, (name, options, call) => {
          const span = current.getStore()?.child(name, options)
          return span === undefined ? call() : ended(span, call)
        })
      clients.set(client, known)
      return known
    },
    reconciled: ({ created, updated, deleted, attempts, fullSyncReason }) =>
      current.getStore()?.annotate({
        'sliceflow.slices.created': created,
        'sliceflow.slices.updated': updated,
        'sliceflow.slices.deleted': deleted,
        'sliceflow.attempts': attempts,
        ...(fullSyncReason !== undefined && { 'sliceflow.full_sync_reason': fullSyncReason }),
      }),
    flush: async (signal) => {
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
