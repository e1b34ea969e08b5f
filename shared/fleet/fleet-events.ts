import type { ApiClient } from '../kubernetes/index.ts'
import { recordEvent, type ServiceEvent } from '../reconciler/index.ts'
import type { FleetContext } from './fleet-context.ts'
import { MCS_GROUP, MCS_VERSIONS, type ServiceImport } from './resources.ts'

const DEFAULT_VERSION = `${MCS_GROUP}/${MCS_VERSIONS[0]}`

/** An Event on a ServiceImport. */
export interface FleetEvent extends ServiceEvent {
  /** Tells it from earlier Events with the same words. */
  readonly occurrence: string
}

/** Puts Events on a ServiceImport. Never fails: they are for people, and the import is right without them. */
export async function tellImport(
  client: ApiClient,
  { apiVersion = DEFAULT_VERSION, metadata = {} }: ServiceImport,
  events: readonly FleetEvent[],
  { logger, signal }: Pick<FleetContext, 'logger' | 'signal'>,
): Promise<void> {
  const about = { apiVersion, kind: 'ServiceImport', metadata }
  for (const { occurrence, ...event } of events) {
    const fields = { cluster: client.cluster, namespace: metadata.namespace, service: metadata.name }
    try {
      await recordEvent(client, about, event, { occurrence, signal })
    } catch (err) {
      logger.warn({ ...fields, reason: event.reason, err }, 'cannot put an Event on the ServiceImport')
    }
  }
}
