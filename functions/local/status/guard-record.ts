import { type KeyText, keyText, type ServiceKey } from '../../../shared/changes/index.ts'
import { GUARDS, type ReconcileOutcome } from '../../../shared/reconciler/index.ts'

/**
 * Services that wait for a person, by the name of the guard; or `unwritten`, with an import of a cluster set
 * that is not written, as others have its name or its plan is held.
 */
export interface GuardStatus {
  /** Absent without any. */
  readonly problems?: Readonly<Record<string, ServiceList>>
}

/** Services by `namespace/name`: how many there are, and some of them. */
export interface ServiceList {
  readonly total: number
  readonly services: readonly string[]
}

/** Remembers what waits for a person, by the last reconcile of each Service of a cluster or a cluster set. */
export interface GuardRecord {
  reconciled(outcome: Pick<ReconcileOutcome, 'key' | 'guarded' | 'fleet'>): void
  failed(key: ServiceKey, error: unknown): void
  status(): GuardStatus
}

/** Services that a list names at most: people read it. */
const MAX_NAMED = 10

const PROBLEMS = GUARDS.filter(({ problem }) => problem !== undefined)

export function createGuardRecord(): GuardRecord {
  const kinds = new Map(
    [...PROBLEMS.map(({ name }) => name), 'unwritten'].map((kind) => [kind, new Map<KeyText, string>()]),
  )
  function set(kind: string, key: ServiceKey, isSo: boolean): void {
    if (isSo) kinds.get(kind)?.set(keyText(key), `${key.namespace}/${key.service}`)
    else kinds.get(kind)?.delete(keyText(key))
  }
  return {
    reconciled({ key, guarded, fleet }) {
      for (const { name } of PROBLEMS) set(name, key, (guarded?.acted[name] ?? 0) > 0)
      set('unwritten', key, (fleet?.blocked ?? 0) > 0)
    },
    failed(key, error) {
      // Another failure says nothing of who else writes the slices.
      for (const { name, metric } of PROBLEMS) if (metric?.ofFailure?.(error)) set(name, key, true)
    },
    status() {
      const waiting = [...kinds].filter(([, services]) => services.size > 0)
      return waiting.length === 0
        ? {}
        : { problems: Object.fromEntries(waiting.map(([kind, services]) => [kind, listOf(services)])) }
    },
  }
}

const listOf = (services: ReadonlyMap<KeyText, string>): ServiceList => ({
  total: services.size,
  services: [...services.values().take(MAX_NAMED)],
})
