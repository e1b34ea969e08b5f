/**
 * Runs the work of a key once at a time. A caller that comes while it runs shares the next run, which begins
 * afterwards and does what all of them came for; so a key that takes long holds up each of them for two runs
 * at most.
 */
interface SingleFlight<K, Task> {
  /**
   * @param work of the first who waits counts for all of them, with their tasks merged
   * @throws what the run throws, to everybody who shares it
   */
  run(key: K, task: Task, work: (task: Task, run: Flight) => Promise<void>): Promise<void>
}

interface Flight {
  /** Whether it began when another run ended, which may have left something for it to do. */
  readonly isNext: boolean
}

interface Runs<Task> {
  current: Promise<void>
  next?: { task: Task; readonly done: Promise<void> }
}

/** @param merge makes one task of two that do the work of both */
export function createSingleFlight<K, Task>(
  merge: (earlier: Task, later: Task) => Task,
): SingleFlight<K, Task> {
  const running = new Map<K, Runs<Task>>()

  function start(key: K, work: () => Promise<void>): Promise<void> {
    const runs: Runs<Task> = { current: Promise.resolve() }
    runs.current = work().finally(() => {
      if (runs.next === undefined) running.delete(key)
    })
    running.set(key, runs)
    return runs.current
  }

  return {
    run(key, task, work) {
      const runs = running.get(key)
      if (runs === undefined) return start(key, () => work(task, { isNext: false }))
      if (runs.next !== undefined) {
        runs.next.task = merge(runs.next.task, task)
        return runs.next.done
      }
      const begin = (): Promise<void> => start(key, () => work(runs.next?.task ?? task, { isNext: true }))
      runs.next = { task, done: runs.current.then(begin, begin) }
      return runs.next.done
    },
  }
}
