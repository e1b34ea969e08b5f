/** How long until the work of a key is to be done again, in milliseconds; undefined: not before somebody asks for it. */
export type Delay = number | undefined

interface State {
  timer: NodeJS.Timeout | undefined
  isRunning: boolean
  isWanted: boolean
}

/**
 * Does the work of each key over and over: when it is asked for, and when the delay is over that the last time has returned. The work of one
 * key is never done twice at the same time, and one that hangs holds up no other.
 */
export class Poller {
  readonly #work: (key: string) => Promise<Delay>
  readonly #onError: (error: unknown) => void
  readonly #states = new Map<string, State>()
  #isStopped = false

  /** @param work must end by itself; what it throws is told, and it is not done again before somebody asks for it */
  constructor(work: (key: string) => Promise<Delay>, onError: (error: unknown) => void) {
    this.#work = work
    this.#onError = onError
  }

  /** The work is done soon; where it is being done, once more after that. */
  poke(key: string): void {
    const state = this.#states.get(key) ?? { timer: undefined, isRunning: false, isWanted: false }
    this.#states.set(key, state)
    state.isWanted = true
    if (!state.isRunning) this.#schedule(key, state, 0)
  }

  forget(key: string): void {
    clearTimeout(this.#states.get(key)?.timer)
    this.#states.delete(key)
  }

  stop(): void {
    this.#isStopped = true
    for (const key of this.#states.keys()) this.forget(key)
  }

  #schedule(key: string, state: State, delay: number): void {
    clearTimeout(state.timer)
    state.timer = setTimeout(() => void this.#run(key, state), delay)
    // What is only looked at keeps no process alive.
    state.timer.unref()
  }

  async #run(key: string, state: State): Promise<void> {
    state.isRunning = true
    state.isWanted = false
    const delay = await this.#work(key).catch((error: unknown) => {
      this.#onError(error)
      return undefined
    })
    state.isRunning = false
    if (this.#isStopped || this.#states.get(key) !== state) return
    if (state.isWanted) this.#schedule(key, state, 0)
    else if (delay !== undefined) this.#schedule(key, state, delay)
  }
}
