import { hash } from 'node:crypto'
import { keyFields, type ServiceKey } from '../changes/index.ts'
import { type ObjectMeta, ownerOfKind, type Service } from '../endpointslice/index.ts'
import { type ApiClient, ConflictError, EVENTS, subdomainName } from '../kubernetes/index.ts'
import type { Log } from '../telemetry/index.ts'

/** @typeParam Reason one of `EVENT_REASONS` */
export interface ServiceEvent<Reason extends string = string> {
  readonly type: 'Normal' | 'Warning'
  readonly reason: Reason
  readonly message: string
}

const COMPONENT = 'sliceflow'

/** Object that an Event is about. */
interface EventSubject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
}

/** Where an Event is recorded and logged. */
interface EventContext {
  readonly client: ApiClient
  readonly key: ServiceKey
  readonly logger: Log
  readonly signal: AbortSignal
}

/**
 * Puts an Event on a Service, or an owner in its form, as {@link recordEvent} does, and logs a new one.
 * Events are for people, and the slices are right without them: it never fails.
 */
export async function reportEvent(
  { client, key, logger, signal }: EventContext,
  service: Service,
  event: ServiceEvent,
  level: 'debug' | 'info' | 'warn' = 'warn',
): Promise<void> {
  const fields = { ...keyFields(key), reason: event.reason }
  try {
    const isNew = await recordEvent(client, subjectOf(service), event, { signal })
    if (isNew) logger[level](fields, event.message)
  } catch (err) {
    logger.warn({ ...fields, err }, `cannot record an Event on the ${key.ownerKind ?? 'Service'}`)
  }
}

function subjectOf({ apiVersion, kind, metadata = {} }: Service): EventSubject {
  const { typeMeta } = ownerOfKind(kind)
  return typeMeta.kind === kind && apiVersion !== undefined
    ? { apiVersion, kind, metadata }
    : { ...typeMeta, metadata }
}

/**
 * Puts an Event on an object. The same words about the same object have one name, so they stand there once
 * until the server lets the Event expire (an hour by default), however often the object is synced.
 * @param occurrence makes the same words another Event
 * @returns whether the Event is a new one
 */
export async function recordEvent(
  client: ApiClient,
  { apiVersion, kind, metadata }: EventSubject,
  event: ServiceEvent,
  { occurrence, signal }: { readonly occurrence?: string; readonly signal?: AbortSignal | undefined } = {},
): Promise<boolean> {
  const { namespace, name = '', uid, resourceVersion } = metadata
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z')
  const words = [uid, event.reason, event.message, ...(occurrence === undefined ? [] : [occurrence])]
  const suffix = hash('sha256', JSON.stringify(words)).slice(0, 16)
  const readable = `${name}.${suffix}`
  try {
    await client.create(
      EVENTS,
      {
        metadata: { namespace, name: subdomainName(readable).length > 0 ? suffix : readable },
        involvedObject: { apiVersion, kind, namespace, name, uid, resourceVersion },
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
