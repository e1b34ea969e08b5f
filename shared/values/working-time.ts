/** Milliseconds reserved for logs, metrics and errors at the end; at most a quarter of the time limit. */
const RESERVE_MS = 3_000

/** Returns a signal that aborts shortly before Lambda ends a call, which would leave no error. */
export function workingTime(context: { getRemainingTimeInMillis(): number }): AbortSignal {
  const remainingMs = context.getRemainingTimeInMillis()
  return AbortSignal.timeout(remainingMs - Math.min(RESERVE_MS, Math.ceil(remainingMs / 4)))
}
