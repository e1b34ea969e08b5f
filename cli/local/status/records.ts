import { ownerText, type ServiceKey } from '../../../shared/changes/index.ts'
import { classify } from '../../../shared/queue/consumer/index.ts'
import { GUARDS, type ReconcileOutcome, SECOND_CONTROLLER_MS } from '../../../shared/reconciler/index.ts'
import type { NewLatest } from '../latest-by-key.ts'
import type { FailureStatus, GuardStatus, SecondControllerStatus, ServiceList } from './document.ts'

export function createFailureRecord() {
  const classes = new Map<string, number>()
  let failures = 0
  let lastFailure: FailureStatus['lastFailure']
  return {
    /** @param at milliseconds since the epoch */
    failed(error: unknown, at: number): void {
      const { class: failureClass, reason } = classify(error)
      failures++
      classes.set(failureClass, (classes.get(failureClass) ?? 0) + 1)
      lastFailure = { at: new Date(at).toISOString(), class: failureClass, message: reason }
    },
    status: (): FailureStatus => ({
      failures,
      ...(classes.size > 0 && { failureClasses: Object.fromEntries(classes) }),
      ...(lastFailure && { lastFailure }),
    }),
  }
}

/** Services that a list names at most: people read it. */
const MAX_NAMED = 10

const PROBLEMS = GUARDS.filter(({ problem }) => problem !== undefined)

/** Remembers what waits for a person, by the last reconcile of each Service of a cluster or a cluster set. */
export function createGuardRecord(latest: NewLatest) {
  const kinds = new Map(
    [...PROBLEMS.map(({ name }) => name), 'unwritten'].map((kind) => [kind, latest<string>()]),
  )
  const set = (kind: string, key: ServiceKey, isSo: boolean): void =>
    kinds.get(kind)?.set(key, isSo ? ownerText(key) : undefined)
  return {
    reconciled({ key, guarded, fleet }: Pick<ReconcileOutcome, 'key' | 'guarded' | 'fleet'>): void {
      for (const { name } of PROBLEMS) set(name, key, (guarded?.acted[name] ?? 0) > 0)
      set('unwritten', key, (fleet?.blocked ?? 0) > 0)
    },
    failed(key: ServiceKey, error: unknown): void {
      // Another failure says nothing of who else writes the slices.
      for (const { name, metric } of PROBLEMS) if (metric?.ofFailure?.(error)) set(name, key, true)
    },
    status(): GuardStatus {
      const waiting = [...kinds]
        .map(([kind, services]) => [kind, services.values()] as const)
        .filter(([, services]) => services.length > 0)
      return waiting.length === 0
        ? {}
        : { problems: Object.fromEntries(waiting.map(([kind, services]) => [kind, listOf(services)])) }
    },
  }
}

const listOf = (services: readonly string[]): ServiceList => ({
  total: services.length,
  services: services.slice(0, MAX_NAMED),
})

/** Users who may write slices can choose the name of their field manager. */
const MAX_MANAGERS = 10

/** Remembers which controllers have lately written slices of a cluster, one entry a field manager. */
export function createSecondControllerRecord() {
  // In the order of their last observation.
  const found = new Map<string, SecondControllerStatus>()
  return {
    reconciled({ key, guarded }: Pick<ReconcileOutcome, 'key' | 'guarded'>): void {
      if (guarded?.secondController === undefined) return
      const { manager, isMirror, writtenAt } = guarded.secondController
      const service = ownerText(key)
      found.delete(manager)
      found.set(manager, { manager, isMirror, service, at: new Date(writtenAt).toISOString() })
      const [oldest] = found.keys()
      if (found.size > MAX_MANAGERS && oldest !== undefined) found.delete(oldest)
    },
    /** @param now milliseconds since the epoch */
    status: (now: number): readonly SecondControllerStatus[] =>
      [...found.values()].filter(({ at }) => now - Date.parse(at) < SECOND_CONTROLLER_MS),
  }
}
