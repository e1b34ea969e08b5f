/** Milliseconds reserved for logs, metrics and errors at the end; at most a quarter of the time limit. */
const RESERVE_MS = 3_000

interface Call {
  getRemainingTimeInMillis(): number
}

/** Returns the whole milliseconds that a call of Lambda has left, less a reserve at its end. */
export function workingMs(context: Call, reserveMs = RESERVE_MS): number {
  const remainingMs = context.getRemainingTimeInMillis()
  return remainingMs - Math.min(reserveMs, Math.ceil(remainingMs / 4))
}

/** Returns a signal that aborts shortly before Lambda ends a call, which would leave no error. */
export const workingTime = (context: Call): AbortSignal => AbortSignal.timeout(workingMs(context))
