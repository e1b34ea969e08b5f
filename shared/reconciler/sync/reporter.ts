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

interface ReporterOptions {
  readonly client: ApiClient
  readonly key: KeyMessage
  readonly settings: Pick<Settings, 'mode'>
  readonly guards: Pick<Guards, 'logged'>
  readonly logger: Log
  readonly signal: AbortSignal
}

/** Reports to people what became of one key. */
export class Reporter {
  readonly #options: ReporterOptions
  readonly #fields: object

  constructor(options: ReporterOptions) {
    this.#options = options
    this.#fields = keyFields(options.key)
  }

  /** Puts an Event on the Service. It is for people: the slices are right without it, so it never fails. */
  event(service: Service, event: ServiceEvent, level?: 'debug' | 'info'): Promise<void> {
    return reportEvent(this.#options, service, event, level)
  }

  /** Puts an Event on a Service of ours that cannot be used: its slices stay until somebody acts. */
  invalid(service: Service, invalid: InvalidSelection): Promise<void> {
    const message = `${invalidReason(invalid)}; the slices stay as they are until it is fixed`
    return this.event(service, { type: 'Warning', reason: eventReason(invalid), message })
  }

  /** Reports by an Event that nothing is written for the Service until its pause is ended. */
  async paused(service: Service, selection: PausedSelection): Promise<GuardSummary> {
    await this.event(service, pausedEvent(service, selection), 'info')
    return { acted: { paused: 1 }, isBlocked: true }
  }

  /** Logs objects that a plan had to leave out. */
  skipped(objects: readonly SkippedObject[]): void {
    const [one] = objects
    if (one === undefined) return
    const such = `${one.kind} ${one.name}: ${one.message}`
    this.#options.logger.warn({ ...this.#fields, objects: objects.length, such }, 'skipped objects')
  }

  /** Reports by Events and in the log what a plan says and what the guards made of it. */
  async guarded(service: Service, { events }: SlicePlan, guarded: GuardedPlan): Promise<GuardSummary> {
    const { findings, fights } = guarded
    const said = [
      ...ignoredAnnotations(service).map(ignoredEvent),
      ...(isBlocked(findings) ? [] : events),
      ...fights.map(fightEvent),
    ]
    for (const one of said) await this.event(service, one)
    for (const finding of findings) await this.#found(service, finding)
    return summarize(guarded)
  }

  /** Reports by an Event and in the log that the slices of a Service that is not ours are not deleted yet. */
  async handoverHeld(
    service: Service,
    { since, slices }: { readonly since: string; readonly slices: readonly EndpointSlice[] },
  ): Promise<GuardSummary> {
    const { key, settings, logger } = this.#options
    logger.warn({ ...this.#fields, since }, HOLDING)
    await this.event(service, handoverEvent(since, slices, key.ownerKind ? undefined : settings.mode))
    return { acted: { held: 1 }, isBlocked: true }
  }

  /** Logs what a guard has found, and puts its Events on the Service. */
  async #found(service: Service, { log, events, instead }: GuardFinding): Promise<void> {
    const { oncePer, message = HOLDING } = log ?? {}
    const isLogged = oncePer === undefined ? log !== undefined || instead !== undefined : this.#isDue(oncePer)
    if (isLogged) this.#options.logger.warn({ ...this.#fields, ...log?.fields }, message)
    for (const one of events) await this.event(service, one, oncePer === undefined ? undefined : 'debug')
  }

  /** Reports whether a line about this was not logged lately in the cluster, and remembers that it is. */
  #isDue(line: string): boolean {
    const { key, guards } = this.#options
    const text = `${key.cluster} ${line}`
    const isDue = !guards.logged.has(text)
    if (isDue) guards.logged.set(text, true)
    return isDue
  }
}

function eventReason({ annotation, isRefused }: InvalidSelection): string {
  if (isRefused) return 'RefusedAnnotation'
  const isSelector = annotation === ANNOTATION_SELECTOR || !annotation.includes('/')
  return isSelector ? 'InvalidSelector' : 'InvalidAnnotation'
}

const ignoredEvent = (ignored: IgnoredAnnotation): ServiceEvent => ({
  type: 'Warning',
  reason: 'InvalidAnnotation',
  message: ignoredReason(ignored),
})
