/** Waits for a turn: resolves to one caller in each turn of the event loop, in the order of the calls. */
export type NextTurn = () => Promise<void>

/**
 * Lets those who share it work one after the other, and events and timers in between: what each does in its
 * turn is the longest pause. Without it, the pages of many clusters that arrive at once are read in one go.
 */
export function createTurns(): NextTurn {
  const waiting: (() => void)[] = []
  function next(): void {
    waiting.shift()?.()
    if (waiting.length > 0) setImmediate(next)
  }
  return () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(next)
    return promise
  }
}

/** Maximum milliseconds for which events and timers wait in between. */
const TURN_MS = 10

/** Yields items until `signal` aborts, and waits for the next turn after each {@link TURN_MS}. */
export async function* inTurns<T>(
  items: Iterable<T>,
  nextTurn: NextTurn,
  signal?: AbortSignal,
): AsyncGenerator<T> {
  await nextTurn()
  if (signal?.aborted) return
  let turnEnds = performance.now() + TURN_MS
  for (const item of items) {
    yield item
    if (performance.now() < turnEnds) continue
    await nextTurn()
    if (signal?.aborted) return
    turnEnds = performance.now() + TURN_MS
  }
}
