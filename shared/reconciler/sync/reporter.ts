import {
  ANNOTATION_SELECTOR,
  type IgnoredAnnotation,
  type InvalidSelection,
  ignoredAnnotations,
  ignoredReason,
  invalidReason,
  type PausedSelection,
} from '../../changes/index.ts'
import type { EndpointSlice, Service, SkippedObject, SlicePlan } from '../../endpointslice/index.ts'
import type { ApiClient } from '../../kubernetes/index.ts'
import type { KeyMessage } from '../../queue/index.ts'
import type { Settings } from '../../settings/index.ts'
import type { Log } from '../../telemetry/index.ts'
import {
  fightEvent,
  type GuardedPlan,
  type GuardSummary,
  type Guards,
  handoverEvent,
  holdEvent,
  pausedEvent,
  refusedAddressesEvent,
  type SecondController,
  secondControllerAdvice,
  secondControllerEvent,
} from '../guards/index.ts'
import { type EventReason, recordServiceEvent, type ServiceEvent } from '../service-events.ts'

/** Tells people what became of one key. */
export interface Reporter {
  /** Puts an Event on the Service. It is for people: the slices are right without it, so it never fails. */
  event(service: Service, event: ServiceEvent): Promise<void>
  /**
   * Puts an Event on a Service that is ours and cannot be used: its slices stay as they are, and a person is
   * told.
   */
  invalid(service: Service, invalid: InvalidSelection): Promise<void>
  /** Tells by an Event that nothing is written for the Service until somebody ends its pause. */
  paused(service: Service, selection: PausedSelection): Promise<GuardSummary>
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
  readonly guards: Pick<Guards, 'secondControllers' | 'now'>
  readonly logger: Log
  readonly signal: AbortSignal
}

/** Message of the log at each sync that holds something. The runbook's queries search for it. */
export const HOLDING = 'holding a plan'

/** Message of the log on a {@link SecondController}. The runbook's query looks for it. */
export const SECOND_CONTROLLER = 'another controller writes slices that Sliceflow manages'

export function createReporter({ client, key, settings, guards, logger, signal }: ReporterOptions): Reporter {
  const { cluster, namespace, service: name } = key
  const fields = { cluster, namespace, service: name }

  /** @param log by default a new Event is logged there, too */
  async function event(service: Service, told: ServiceEvent, log = logger.warn): Promise<void> {
    const { reason, message } = told
    try {
      const isNew = await recordServiceEvent(client, service, told, signal)
      if (isNew) log({ ...fields, reason }, message)
    } catch (err) {
      logger.warn({ ...fields, reason, err }, 'cannot record an Event on the Service')
    }
  }

  /** Tells of every Service by an Event, and the log once in a while of each controller. */
  async function reportSecondController(service: Service, second: SecondController): Promise<void> {
    const { manager, slice, writtenAt } = second
    const secondsAgo = Math.max(0, Math.round((guards.now() - writtenAt) / 1000))
    if (guards.secondControllers.isDue(cluster, manager))
      logger.warn(
        { ...fields, manager, slice, secondsAgo },
        `${SECOND_CONTROLLER}: ${secondControllerAdvice(second)}`,
      )
    await event(service, secondControllerEvent(second), logger.debug)
  }

  return {
    event,
    invalid(service, invalid) {
      const message = `${invalidReason(invalid)}; the slices stay as they are until it is fixed`
      return event(service, { type: 'Warning', reason: eventReason(invalid), message })
    },
    async paused(service, selection) {
      await event(service, pausedEvent(service, selection), logger.info)
      return { isHeld: false, isPaused: true, postponed: 0, refusedAddresses: 0 }
    },
    skipped(objects) {
      const [one] = objects
      if (one === undefined) return
      const such = `${one.kind} ${one.name}: ${one.message}`
      logger.warn({ ...fields, objects: objects.length, such }, 'skipped objects')
    },
    async handoverHeld(service, { since, slices }) {
      logger.warn({ ...fields, since }, HOLDING)
      await event(service, handoverEvent(since, slices, settings.mode))
      return { isHeld: true, postponed: 0, refusedAddresses: 0 }
    },
    async guarded(service, { events, skipped }, guarded) {
      const { hold, fights, postponed, secondController } = guarded
      const isUnwritten = hold.kind === 'held' || hold.kind === 'oversized'
      if (isUnwritten) logger.warn({ ...fields, ...whyUnwritten(hold) }, HOLDING)
      if (postponed > 0)
        logger.info({ ...fields, postponed }, 'wrote part of the plan; the rest follows later')
      const told = [
        ...ignoredAnnotations(service).map(ignoredEvent),
        ...(isUnwritten ? [] : events),
        holdEvent(hold, settings),
        refusedAddressesEvent(skipped),
        ...fights.map(fightEvent),
      ]
      for (const one of told) if (one !== undefined) await event(service, one)
      if (secondController !== undefined) await reportSecondController(service, secondController)
      return summaryOf(skipped, guarded)
    },
  }
}

function summaryOf(
  skipped: readonly SkippedObject[],
  { hold, postponed, secondController }: GuardedPlan,
): GuardSummary {
  return {
    isHeld: hold.kind === 'held',
    postponed,
    refusedAddresses: skipped.filter(({ reason }) => reason === 'RefusedAddress').length,
    ...(hold.kind === 'oversized' && { isOversized: true }),
    ...(hold.kind === 'released' && { isReleased: true }),
    ...(secondController && { secondController }),
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

const ignoredEvent = (ignored: IgnoredAnnotation): ServiceEvent => ({
  type: 'Warning',
  reason: 'InvalidAnnotation',
  message: ignoredReason(ignored),
})
