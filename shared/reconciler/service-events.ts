import { hash } from 'node:crypto'
import { SOURCES } from '../changes/index.ts'
import { type ObjectMeta, SERVICE_OWNER, type Service } from '../endpointslice/index.ts'
import { type ApiClient, ConflictError, EVENTS } from '../kubernetes/index.ts'
import { guardEvents } from './guards/guard.ts'

/** Settings that grant sources of endpoints. */
const GRANTS = [...new Set(SOURCES.flatMap(({ grantedBy }) => (grantedBy ? [`\`${grantedBy}\``] : [])))].join(
  ', ',
)

/**
 * Every Event that a Service or a ServiceImport may get, by its reason: what it says. People's rules and
 * dashboards rely on the reasons.
 */
export const EVENT_REASONS = {
  InvalidSelector: 'the selector in `sliceflow.dev/selector` cannot be read; the slices stay as they are',
  InvalidAnnotation:
    'another annotation of ours cannot be read, does not go with the others, or is misspelt; says whether the slices stay as they are, or which setting holds instead',
  Paused: 'the Service is paused by `sliceflow.dev/paused`: nothing is written, and what is published stays',
  RefusedAnnotation: `an annotation names what no setting grants to the namespace (${GRANTS}); the slices stay as they are`,
  ...guardEvents(),
  ClusterReachable: 'a cluster that gave a ServiceImport endpoints can be reached again',
  TooManyAddressesToMirror:
    'a subset of the Endpoints has more than 1,000 addresses, and the others are not mirrored; it is on the Service, whereas the in-tree controller puts it on the Endpoints',
  InvalidIPAddress:
    'some addresses of the Endpoints are not IP addresses and are not mirrored; it is on the Service, too',
  TopologyAwareHintsEnabled: 'hints by CPU are given, as in the in-tree controller’s Event',
  TopologyAwareHintsDisabled:
    'hints by CPU are asked for and cannot be given; says why, as the in-tree controller does',
} as const

export type EventReason = keyof typeof EVENT_REASONS

export interface ServiceEvent {
  readonly type: 'Normal' | 'Warning'
  readonly reason: EventReason
  readonly message: string
}

const COMPONENT = 'sliceflow'

/** Object that an Event is about. */
export interface EventSubject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
}

/** Puts an Event on a Service as {@link recordEvent} does. */
export const recordServiceEvent = (
  client: ApiClient,
  { metadata = {} }: Service,
  event: ServiceEvent,
  signal?: AbortSignal,
): Promise<boolean> => recordEvent(client, { ...SERVICE_OWNER.typeMeta, metadata }, event, { signal })

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
  try {
    await client.create(
      EVENTS,
      {
        metadata: { namespace, name: `${name}.${suffix}` },
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
