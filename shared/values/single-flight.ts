interface Flight {
  /** Whether it began when another run ended, which may have left something for it to do. */
  readonly isNext: boolean
}

interface Runs<Task> {
  current: Promise<void>
  next?: { task: Task; readonly done: Promise<void> }
}

/**
 * Runs the work of a key once at a time. A caller that comes while it runs shares the next run, which begins
 * afterwards and does what all of them came for; so a key that takes long holds up each of them for two runs
 * at most.
 */
export class SingleFlight<K, Task> {
  readonly #merge: (earlier: Task, later: Task) => Task
  readonly #running = new Map<K, Runs<Task>>()

  /** @param merge makes one task of two that do the work of both */
  constructor(merge: (earlier: Task, later: Task) => Task) {
    this.#merge = merge
  }

  /**
   * @param work of the first who waits counts for all of them, with their tasks merged
   * @throws what the run throws, to everybody who shares it
   */
  run(key: K, task: Task, work: (task: Task, run: Flight) => Promise<void>): Promise<void> {
    const runs = this.#running.get(key)
    if (runs === undefined) return this.#start(key, () => work(task, { isNext: false }))
    if (runs.next !== undefined) {
      runs.next.task = this.#merge(runs.next.task, task)
      return runs.next.done
    }
    const begin = (): Promise<void> => this.#start(key, () => work(runs.next?.task ?? task, { isNext: true }))
    runs.next = { task, done: runs.current.then(begin, begin) }
    return runs.next.done
  }

  #start(key: K, work: () => Promise<void>): Promise<void> {
    const runs: Runs<Task> = { current: Promise.resolve() }
    runs.current = work().finally(() => {
      if (runs.next === undefined) this.#running.delete(key)
    })
    this.#running.set(key, runs)
    return runs.current
  }
}
