/**
 * Runs the work of a key once at a time. Whoever comes while it runs shares the next run, which begins afterwards; so it
 * sees whatever they came for, and a key that takes long holds up each of them for two runs at most.
 */
export interface SharedRuns<K> {
  /**
   * @param work of the first who waits counts for all of them; `isAwaited` tells whether somebody waits for the next run
   * @throws what the run throws, to everybody who shares it
   */
  run(key: K, work: (isAwaited: () => boolean) => Promise<void>): Promise<void>
}

interface Runs {
  current: Promise<void>
  next?: Promise<void>
}

export function createSharedRuns<K>(): SharedRuns<K> {
  const running = new Map<K, Runs>()

  function start(key: K, work: (isAwaited: () => boolean) => Promise<void>): Promise<void> {
    const runs: Runs = { current: Promise.resolve() }
    const isAwaited = (): boolean => runs.next !== undefined
    runs.current = work(isAwaited).finally(() => {
      if (!isAwaited()) running.delete(key)
    })
    running.set(key, runs)
    return runs.current
  }

  return {
    run(key, work) {
      const runs = running.get(key)
      if (runs === undefined) return start(key, work)
      const begin = (): Promise<void> => start(key, work)
      runs.next ??= runs.current.then(begin, begin)
      return runs.next
    },
  }
}
