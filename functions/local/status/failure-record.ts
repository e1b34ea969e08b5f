import { classify } from '../../../shared/queue/consumer/index.ts'

/** Failures of the keys of a cluster, or of a cluster set. Times are RFC 3339. */
export interface FailureStatus {
  /** Keys that failed since the start; each went back to the queue. */
  readonly failures: number
  /** Failures by class; absent without any. */
  readonly failureClasses?: Readonly<Record<string, number>>
  readonly lastFailure?: { readonly at: string; readonly class: string; readonly message: string }
}

/** Remembers which keys failed. */
export interface FailureRecord {
  /** @param at milliseconds since the epoch */
  failed(error: unknown, at: number): void
  status(): FailureStatus
}

export function createFailureRecord(): FailureRecord {
  const classes = new Map<string, number>()
  let failures = 0
  let lastFailure: FailureStatus['lastFailure']
  return {
    failed(error, at) {
      const { class: failureClass, reason } = classify(error)
      failures++
      classes.set(failureClass, (classes.get(failureClass) ?? 0) + 1)
      lastFailure = { at: new Date(at).toISOString(), class: failureClass, message: reason }
    },
    status: () => ({
      failures,
      ...(classes.size > 0 && { failureClasses: Object.fromEntries(classes) }),
      ...(lastFailure && { lastFailure }),
    }),
  }
}
