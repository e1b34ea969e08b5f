import { ignoredAnnotations, ignoredReason } from '../changes/index.ts'
import type { ApiClient } from '../kubernetes/index.ts'
import {
  type Fight,
  fightEvent,
  type GuardFinding,
  recordEvent,
  type ServiceEvent,
} from '../reconciler/index.ts'
import type { FleetContext } from './fleet-context.ts'
import { IMPORT_OWNER } from './import-owner.ts'
import type { ServiceImport } from './resources.ts'

/** Command that ends the hold of an import. */
export const RELEASE_IMPORT = 'sliceflow release --fleet'

export interface FleetEvent extends ServiceEvent {
  /** Distinguishes it from earlier Events with the same words. */
  readonly occurrence: string
}

/** Returns the Events about what blocks a plan, and about the end of a hold, once for each. */
export const importFindingEvents = (
  findings: readonly GuardFinding[],
  { metadata }: ServiceImport,
): FleetEvent[] =>
  findings
    .filter(({ instead, hold }) => instead !== undefined || hold !== undefined)
    .flatMap(({ events, hold }) => {
      const occurrence = hold?.since ?? metadata?.resourceVersion ?? ''
      return events.map((event) => ({ ...event, occurrence }))
    })

/** Returns Events on annotations of an import that do not count, once for each value. */
export const importAnnotationEvents = (object: ServiceImport): FleetEvent[] =>
  ignoredAnnotations(object).map((ignored) => ({
    type: 'Warning',
    reason: 'InvalidAnnotation',
    message: ignoredReason(ignored),
    occurrence: object.metadata?.annotations?.[ignored.annotation] ?? '',
  }))

/** Returns the Event about a fight, once for each opponent. */
export const importFightEvent = (fight: Fight): FleetEvent => ({
  ...fightEvent(fight),
  occurrence: `${fight.kind} ${fight.opponent}`,
})

/** Puts Events on a ServiceImport. Never fails: they are for people, and the import is right without them. */
export async function recordImportEvents(
  client: ApiClient,
  { apiVersion = IMPORT_OWNER.apiVersion, metadata = {} }: ServiceImport,
  events: readonly FleetEvent[],
  { logger, signal }: Pick<FleetContext, 'logger' | 'signal'>,
): Promise<void> {
  const about = { apiVersion, kind: IMPORT_OWNER.kind, metadata }
  for (const { occurrence, ...event } of events) {
    const fields = { cluster: client.cluster, namespace: metadata.namespace, service: metadata.name }
    try {
      await recordEvent(client, about, event, { occurrence, signal })
    } catch (err) {
      logger.warn({ ...fields, reason: event.reason, err }, 'cannot record an Event on the ServiceImport')
    }
  }
}
