import { ANNOTATION_SELECTOR, type InvalidSelection, invalidReason } from '../changes/index.ts'
import type { EndpointSlice, Service, SkippedObject, SlicePlan } from '../endpointslice/index.ts'
import type { ApiClient } from '../kubernetes/index.ts'
import type { KeyMessage } from '../queue/index.ts'
import type { Settings } from '../settings/index.ts'
import type { Log } from '../telemetry/index.ts'
import {
  fightEvent,
  type GuardedPlan,
  handoverEvent,
  holdEvent,
  refusedAddressesEvent,
} from './guards/index.ts'
import { type EventReason, recordServiceEvent, type ServiceEvent } from './service-events.ts'

/** The guards' decisions on a plan, for those who count them. */
export interface GuardSummary {
  /** Nothing of it was written. */
  readonly isHeld: boolean
  /** Nothing of it was written, as the Service would have too many endpoints. */
  readonly isOversized?: true
  /** It was held before: the note of that is taken off by the next look. */
  readonly isReleased?: true
  /** Writes that wait for the next look. */
  readonly postponed: number
  readonly refusedAddresses: number
}

/** Tells people what became of one key. */
export interface Reporter {
  /** Puts an Event on the Service. It is for people: the slices are right without it, so it never fails. */
  event(service: Service, event: ServiceEvent): Promise<void>
  /**
   * Puts an Event on a Service that is ours and cannot be used: its slices stay as they are, and a person is
   * told.
   */
  invalid(service: Service, invalid: InvalidSelection): Promise<void>
  /** Tells the log of objects that a plan had to leave out. */
  skipped(objects: readonly SkippedObject[]): void
  /** Tells by Events and the log what a plan says and what the guards made of it. */
  guarded(service: Service, planned: SlicePlan, guarded: GuardedPlan): Promise<GuardSummary>
  /** Tells by an Event and the log that the slices of a Service that is not ours are not deleted yet. */
  handoverHeld(
    service: Service,
    held: { readonly since: string; readonly slices: readonly EndpointSlice[] },
  ): Promise<GuardSummary>
}

export interface ReporterOptions {
  readonly client: ApiClient
  readonly key: KeyMessage
  readonly settings: Pick<Settings, 'mode' | 'heldPlanExpiry' | 'maximumEndpoints'>
  readonly logger: Log
  readonly signal: AbortSignal
}

/** Message of the log at each look that holds something. The runbook's queries look for it. */
export const HOLDING = 'holding a plan'

export function createReporter({ client, key, settings, logger, signal }: ReporterOptions): Reporter {
  const { cluster, namespace, service: name } = key
  const fields = { cluster, namespace, service: name }

  async function event(service: Service, told: ServiceEvent): Promise<void> {
    const { reason, message } = told
    try {
      const isNew = await recordServiceEvent(client, service, told, signal)
      if (isNew) logger.warn({ ...fields, reason, problem: message }, 'put an Event on the Service')
    } catch (err) {
      logger.warn({ ...fields, reason, err }, 'cannot put an Event on the Service')
    }
  }

  return {
    event,
    invalid(service, invalid) {
      const message = `${invalidReason(invalid)}; the slices stay as they are until it is fixed`
      return event(service, { type: 'Warning', reason: eventReason(invalid), message })
    },
    skipped(objects) {
      const [one] = objects
      if (one === undefined) return
      const such = `${one.kind} ${one.name}: ${one.message}`
      logger.warn({ ...fields, objects: objects.length, such }, 'left objects out')
    },
    async handoverHeld(service, { since, slices }) {
      logger.warn({ ...fields, since }, HOLDING)
      await event(service, handoverEvent(since, slices, settings.mode))
      return { isHeld: true, postponed: 0, refusedAddresses: 0 }
    },
    async guarded(service, { events, skipped }, { hold, fights, postponed }) {
      const isHeld = hold.kind === 'held'
      const isOversized = hold.kind === 'oversized'
      const isUnwritten = isHeld || isOversized
      if (isUnwritten) logger.warn({ ...fields, ...whyUnwritten(hold) }, HOLDING)
      if (postponed > 0) logger.info({ ...fields, postponed }, 'the rest of the plan follows')
      const told = [
        ...(isUnwritten ? [] : events),
        holdEvent(hold, settings),
        refusedAddressesEvent(skipped),
        ...fights.map(fightEvent),
      ]
      for (const one of told) if (one !== undefined) await event(service, one)
      const refusedAddresses = skipped.filter(({ reason }) => reason === 'RefusedAddress').length
      const isReleased = hold.kind === 'released'
      return {
        isHeld,
        postponed,
        refusedAddresses,
        ...(isOversized && { isOversized }),
        ...(isReleased && { isReleased }),
      }
    },
  }
}

/** Says in the log why something was not written. */
function whyUnwritten(hold: GuardedPlan['hold']): object {
  if (hold.kind === 'oversized') return { endpoints: hold.endpoints }
  return hold.kind === 'held' ? { ...hold.removal, since: hold.since } : {}
}

function eventReason({ annotation, isRefused }: InvalidSelection): EventReason {
  if (isRefused) return 'RefusedAnnotation'
  return annotation === ANNOTATION_SELECTOR ? 'InvalidSelector' : 'InvalidAnnotation'
}
