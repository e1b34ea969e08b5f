import type { Service, SkippedObject } from '../../shared/endpointslice/index.ts'
import type { ApiClient } from '../../shared/kubernetes/index.ts'
import type { KeyMessage } from '../../shared/queue/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'
import { recordServiceEvent, type ServiceEvent } from './service-events.ts'

/** Tells people what became of one key. */
export interface Reporter {
  /** Puts an Event on the Service. It is for people: the slices are right without it, so it never fails. */
  event(service: Service, event: ServiceEvent): Promise<void>
  /** Tells the log of objects that a plan had to leave out. */
  skipped(objects: readonly SkippedObject[]): void
}

export interface ReporterOptions {
  readonly client: ApiClient
  readonly key: KeyMessage
  readonly logger: Log
  readonly signal: AbortSignal
}

export function createReporter({ client, key, logger, signal }: ReporterOptions): Reporter {
  const { cluster, namespace, service: name } = key
  const fields = { cluster, namespace, service: name }
  return {
    async event(service, event) {
      const { reason, message } = event
      try {
        const isNew = await recordServiceEvent(client, service, event, signal)
        if (isNew) logger.warn({ ...fields, reason, problem: message }, 'put an Event on the Service')
      } catch (err) {
        logger.warn({ ...fields, reason, err }, 'cannot put an Event on the Service')
      }
    },
    skipped(objects) {
      const [one] = objects
      if (one === undefined) return
      const such = `${one.kind} ${one.name}: ${one.message}`
      logger.warn({ ...fields, objects: objects.length, such }, 'left objects out')
    },
  }
}
