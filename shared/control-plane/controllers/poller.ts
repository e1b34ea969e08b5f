/**
 * What came of the work of a key:
 * - `good`: it is done again after the interval
 * - `bad`: it is tried again soon, and after twice as long each further time, up to the interval
 * - `stale`: what it was about has changed meanwhile, so it is done again at once
 * - undefined: not before somebody asks for it
 */
export type Outcome = 'good' | 'bad' | 'stale' | undefined

export interface PollerOptions {
  /** Must end by itself; what it throws is told, and it is not done again before somebody asks for it. */
  readonly work: (key: string) => Promise<Outcome>
  /** Milliseconds. */
  readonly interval: number
  /** Milliseconds until the second try. */
  readonly firstRetry: number
  readonly onError: (error: unknown) => void
}

interface State {
  timer: NodeJS.Timeout | undefined
  isRunning: boolean
  isWanted: boolean
  /** Milliseconds until the next try, should this one fail. */
  retry: number
}

/**
 * Does the work of each key over and over: when it is asked for, and as long after the last time as the outcome of that says. The work of one
 * key is never done twice at the same time, and one that hangs holds up no other.
 */
export class Poller {
  readonly #options: PollerOptions
  readonly #states = new Map<string, State>()
  #isStopped = false

  constructor(options: PollerOptions) {
    this.#options = options
  }

  /** The work is done soon; where it is being done, once more after that. */
  poke(key: string): void {
    const state = this.#states.get(key) ?? this.#newState()
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

  #newState(): State {
    const { firstRetry } = this.#options
    return { timer: undefined, isRunning: false, isWanted: false, retry: firstRetry }
  }

  #schedule(key: string, state: State, delay: number): void {
    clearTimeout(state.timer)
    state.timer = setTimeout(() => void this.#run(key, state), delay)
    // What is only looked at keeps no process alive.
    state.timer.unref()
  }

  async #run(key: string, state: State): Promise<void> {
    const { work, onError } = this.#options
    state.isRunning = true
    state.isWanted = false
    const outcome = await work(key).catch((error: unknown) => {
      onError(error)
      return undefined
    })
    state.isRunning = false
    if (this.#isStopped || this.#states.get(key) !== state) return
    const delay = this.#delayAfter(outcome, state)
    if (state.isWanted) this.#schedule(key, state, 0)
    else if (delay !== undefined) this.#schedule(key, state, delay)
  }

  /** Milliseconds; undefined: nothing more is to be done. */
  #delayAfter(outcome: Outcome, state: State): number | undefined {
    const { interval, firstRetry } = this.#options
    if (outcome === undefined) return undefined
    if (outcome === 'stale') return 0
    const delay = Math.min(state.retry, interval)
    state.retry = outcome === 'bad' ? 2 * delay : firstRetry
    return outcome === 'bad' ? delay : interval
  }
}
