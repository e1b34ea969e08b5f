import { hash } from 'node:crypto'
import type { Service } from '../endpointslice/index.ts'
import { type ApiClient, ConflictError, EVENTS } from '../kubernetes/index.ts'

export interface ServiceEvent {
  readonly type: string
  readonly reason: string
  readonly message: string
}

const COMPONENT = 'sliceflow'

/**
 * Puts an Event on a Service. The same words about the same Service have one name, so they stand there once until the
 * server lets the Event expire (an hour by default), however often the Service is looked at.
 * @returns whether the Event is a new one
 */
export async function recordServiceEvent(
  client: ApiClient,
  service: Service,
  event: ServiceEvent,
  signal?: AbortSignal,
): Promise<boolean> {
  const { namespace, name = '', uid, resourceVersion } = service.metadata ?? {}
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z')
  const suffix = hash('sha256', JSON.stringify([uid, event.reason, event.message])).slice(0, 16)
  try {
    await client.create(
      EVENTS,
      {
        metadata: { namespace, name: `${name}.${suffix}` },
        involvedObject: { apiVersion: 'v1', kind: 'Service', namespace, name, uid, resourceVersion },
        ...event,
        source: { component: COMPONENT },
        firstTimestamp: now,
        lastTimestamp: now,
        count: 1,
      },
      { signal },
    )
    return true
  } catch (error) {
    if (error instanceof ConflictError) return false
    throw error
  }
}
