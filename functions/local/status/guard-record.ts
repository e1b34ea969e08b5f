import { type KeyText, keyText, type ServiceKey } from '../../../shared/changes/index.ts'
import { type ReconcileOutcome, SliceFightError } from '../../../shared/reconciler/index.ts'

/** Services of which something waits for a person; absent without any. */
export interface GuardStatus {
  /** A plan is held: nothing is written until it is released, or expires. */
  readonly held?: ServiceList
  /** Nothing is written, as the Service would have too many endpoints. */
  readonly oversized?: ServiceList
  /** Slices are left alone, as somebody undoes every repair of them. */
  readonly fights?: ServiceList
  /** Of a cluster set: an import is not written, as others have its name or its plan is held. */
  readonly unwritten?: ServiceList
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

type Kind = keyof GuardStatus

export function createGuardRecord(): GuardRecord {
  const kinds: Readonly<Record<Kind, Map<KeyText, string>>> = {
    held: new Map(),
    oversized: new Map(),
    fights: new Map(),
    unwritten: new Map(),
  }
  function set(kind: Kind, key: ServiceKey, isSo: boolean): void {
    if (isSo) kinds[kind].set(keyText(key), `${key.namespace}/${key.service}`)
    else kinds[kind].delete(keyText(key))
  }
  return {
    reconciled({ key, guarded, fleet }) {
      set('held', key, guarded?.isHeld === true)
      set('oversized', key, guarded?.isOversized === true)
      set('unwritten', key, (fleet?.blocked ?? 0) > 0)
      set('fights', key, false)
    },
    failed(key, error) {
      // Another failure says nothing of who else writes the slices.
      if (error instanceof SliceFightError) set('fights', key, true)
    },
    status: () =>
      Object.fromEntries(
        Object.entries(kinds).flatMap(([kind, services]) =>
          services.size === 0 ? [] : [[kind, listOf(services)]],
        ),
      ),
  }
}

const listOf = (services: ReadonlyMap<KeyText, string>): ServiceList => ({
  total: services.size,
  services: [...services.values().take(MAX_NAMED)],
})
