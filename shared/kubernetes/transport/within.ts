interface TimeLimit {
  readonly ms: number
  /** Makes the error that is thrown when the time is over. */
  readonly late: () => Error
  readonly signal?: AbortSignal
}

/**
 * Resolves to what the promise does, if that is in time. Whatever makes it goes on all the same, and is for
 * the caller to end.
 * @throws what `late` makes when the time is over; the signal's reason when it aborts
 */
export function within<T>(promise: Promise<T>, { ms, late, signal }: TimeLimit): Promise<T> {
  const { promise: inTime, resolve, reject } = Promise.withResolvers<T>()
  const onAbort = (): void => reject(signal?.reason)
  const timer = setTimeout(() => reject(late()), ms)
  signal?.addEventListener('abort', onAbort, { once: true })
  // A listener is not called for an abort that came before it.
  if (signal?.aborted) onAbort()
  promise.then(resolve, reject)
  return inTime.finally(() => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  })
}
