import { addAbortListener } from 'node:events'

/** A key that was not finished, or not even started, when the function's time was nearly over. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
  readonly failureClass = 'Timeout'
}

/** A signal that aborts after a time unless it is disposed of before. */
export interface Expiry extends Disposable {
  readonly signal: AbortSignal
}

/** Expires after a time; a time of 0 or less has expired from the start. */
export function expireAfter(ms: number): Expiry {
  const controller = new AbortController()
  const expire = () => controller.abort(new DeadlineError('this invocation is about to time out'))
  const timer = ms > 0 ? setTimeout(expire, ms) : undefined
  if (timer === undefined) expire()
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) }
}

/** Waits until `promise` settles or the signal aborts. Rejects only if `promise` does. */
export async function waitUntilAborted(promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, resolve } = Promise.withResolvers<void>()
  using _ = addAbortListener(signal, () => resolve())
  await Promise.race([promise, aborted])
}
