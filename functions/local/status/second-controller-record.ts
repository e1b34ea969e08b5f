import {
  type ReconcileOutcome,
  SECOND_CONTROLLER_MS,
  type SecondController,
} from '../../../shared/reconciler/index.ts'

/** Controller that writes slices that we manage. */
export interface SecondControllerStatus extends Pick<SecondController, 'manager' | 'isMirror'> {
  /** Service of the last slice that it was seen to have written, `namespace/name`. */
  readonly service: string
  /** Time of that write, RFC 3339. */
  readonly at: string
}

/** Remembers which controllers have lately written slices of a cluster, one entry a field manager. */
export interface SecondControllerRecord {
  reconciled(outcome: Pick<ReconcileOutcome, 'key' | 'guarded'>): void
  /** @param now milliseconds since the epoch */
  status(now: number): readonly SecondControllerStatus[]
}

/** Anybody who may write slices can choose the name of his field manager. */
const MAX_MANAGERS = 10

export function createSecondControllerRecord(): SecondControllerRecord {
  // In the order in which they were seen last.
  const found = new Map<string, SecondControllerStatus>()
  return {
    reconciled({ key, guarded }) {
      if (guarded?.secondController === undefined) return
      const { manager, isMirror, writtenAt } = guarded.secondController
      const service = `${key.namespace}/${key.service}`
      found.delete(manager)
      found.set(manager, { manager, isMirror, service, at: new Date(writtenAt).toISOString() })
      const [oldest] = found.keys()
      if (found.size > MAX_MANAGERS && oldest !== undefined) found.delete(oldest)
    },
    status: (now) => [...found.values()].filter(({ at }) => now - Date.parse(at) < SECOND_CONTROLLER_MS),
  }
}
