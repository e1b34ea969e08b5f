import {
  ANNOTATION_SELECTOR,
  type IgnoredAnnotation,
  type InvalidSelection,
  ignoredAnnotations,
  ignoredReason,
  invalidReason,
  keyFields,
  type PausedSelection,
} from '../../changes/index.ts'
import type { EndpointSlice, Service, SkippedObject, SlicePlan } from '../../endpointslice/index.ts'
import type { ApiClient } from '../../kubernetes/index.ts'
import type { KeyMessage } from '../../queue/index.ts'
import type { Settings } from '../../settings/index.ts'
import type { Log } from '../../telemetry/index.ts'
import { fightEvent } from '../guards/fights/fights-guard.ts'
import { type GuardSummary, HOLDING } from '../guards/guard.ts'
import { type GuardedPlan, type GuardFinding, isBlocked, summarize } from '../guards/guard-plan.ts'
import type { Guards } from '../guards/guards.ts'
import { handoverEvent } from '../guards/handover.ts'
import { pausedEvent } from '../guards/paused.ts'
import { reportEvent, type ServiceEvent } from '../service-events.ts'

/** Reports to people what became of one key. */
export interface Reporter {
  /** Puts an Event on the Service. It is for people: the slices are right without it, so it never fails. */
  event(service: Service, event: ServiceEvent): Promise<void>
  /**
   * Puts an Event on a Service that is ours and cannot be used: its slices stay as they are, and a person is
   * to act.
   */
  invalid(service: Service, invalid: InvalidSelection): Promise<void>
  /** Reports by an Event that nothing is written for the Service until its pause is ended. */
  paused(service: Service, selection: PausedSelection): Promise<GuardSummary>
  /** Logs objects that a plan had to leave out. */
  skipped(objects: readonly SkippedObject[]): void
  /** Reports by Events and in the log what a plan says and what the guards made of it. */
  guarded(service: Service, planned: SlicePlan, guarded: GuardedPlan): Promise<GuardSummary>
  /** Reports by an Event and in the log that the slices of a Service that is not ours are not deleted yet. */
  handoverHeld(
    service: Service,
    held: { readonly since: string; readonly slices: readonly EndpointSlice[] },
  ): Promise<GuardSummary>
}

interface ReporterOptions {
  readonly client: ApiClient
  readonly key: KeyMessage
  readonly settings: Pick<Settings, 'mode'>
  readonly guards: Pick<Guards, 'logLimit'>
  readonly logger: Log
  readonly signal: AbortSignal
}

export function createReporter({ client, key, settings, guards, logger, signal }: ReporterOptions): Reporter {
  const { cluster } = key
  const fields = keyFields(key)

  const event = (service: Service, recorded: ServiceEvent, level?: 'debug' | 'info'): Promise<void> =>
    reportEvent({ client, key, logger, signal }, service, recorded, level)

  /** Logs what a guard has found, and puts its Events on the Service. */
  async function found(service: Service, { log, events, instead }: GuardFinding): Promise<void> {
    const { oncePer, message = HOLDING } = log ?? {}
    if (
      oncePer !== undefined
        ? guards.logLimit.isDue(cluster, oncePer)
        : log !== undefined || instead !== undefined
    )
      logger.warn({ ...fields, ...log?.fields }, message)
    for (const one of events) await event(service, one, oncePer === undefined ? undefined : 'debug')
  }

  return {
    event: (service, recorded) => event(service, recorded),
    invalid(service, invalid) {
      const message = `${invalidReason(invalid)}; the slices stay as they are until it is fixed`
      return event(service, { type: 'Warning', reason: eventReason(invalid), message })
    },
    async paused(service, selection) {
      await event(service, pausedEvent(service, selection), 'info')
      return { acted: { paused: 1 }, isBlocked: true }
    },
    skipped(objects) {
      const [one] = objects
      if (one === undefined) return
      const such = `${one.kind} ${one.name}: ${one.message}`
      logger.warn({ ...fields, objects: objects.length, such }, 'skipped objects')
    },
    async handoverHeld(service, { since, slices }) {
      logger.warn({ ...fields, since }, HOLDING)
      await event(service, handoverEvent(since, slices, key.ownerKind ? undefined : settings.mode))
      return { acted: { held: 1 }, isBlocked: true }
    },
    async guarded(service, { events }, guarded) {
      const { findings, fights } = guarded
      const said = [
        ...ignoredAnnotations(service).map(ignoredEvent),
        ...(isBlocked(findings) ? [] : events),
        ...fights.map(fightEvent),
      ]
      for (const one of said) await event(service, one)
      for (const finding of findings) await found(service, finding)
      return summarize(guarded)
    },
  }
}

function eventReason({ annotation, isRefused }: InvalidSelection): string {
  if (isRefused) return 'RefusedAnnotation'
  const isSelector = annotation === ANNOTATION_SELECTOR || annotation.startsWith('spec.')
  return isSelector ? 'InvalidSelector' : 'InvalidAnnotation'
}

const ignoredEvent = (ignored: IgnoredAnnotation): ServiceEvent => ({
  type: 'Warning',
  reason: 'InvalidAnnotation',
  message: ignoredReason(ignored),
})
