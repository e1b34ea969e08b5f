/**
 * Runs the work of a key once at a time. Whoever comes while it runs shares the next run, which begins afterwards; so it
 * sees whatever they came for, and a key that takes long holds up each of them for two runs at most.
 */
export interface SharedRuns<K> {
  /**
   * @param work of the first who waits counts for all of them
   * @throws what the run throws, to everybody who shares it
   */
  run(key: K, work: (run: SharedRun) => Promise<void>): Promise<void>
}

export interface SharedRun {
  /** Whether somebody waits for the next run of the key, which begins when this one ends. */
  isAwaited(): boolean
  /** Whether it began when another run ended, which may have left something for it to do. */
  readonly isNext: boolean
}

interface Runs {
  current: Promise<void>
  next?: Promise<void>
}

export function createSharedRuns<K>(): SharedRuns<K> {
  const running = new Map<K, Runs>()

  function start(key: K, isNext: boolean, work: (run: SharedRun) => Promise<void>): Promise<void> {
    const runs: Runs = { current: Promise.resolve() }
    const isAwaited = (): boolean => runs.next !== undefined
    runs.current = work({ isAwaited, isNext }).finally(() => {
      if (!isAwaited()) running.delete(key)
    })
    running.set(key, runs)
    return runs.current
  }

  return {
    run(key, work) {
      const runs = running.get(key)
      if (runs === undefined) return start(key, false, work)
      const begin = (): Promise<void> => start(key, true, work)
      runs.next ??= runs.current.then(begin, begin)
      return runs.next
    },
  }
}
