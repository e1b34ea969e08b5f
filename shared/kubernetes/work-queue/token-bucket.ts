interface TokenBucketOptions {
  /** Tokens a second in the long run. */
  readonly perSecond: number
  /** Tokens that may be taken at once after a quiet time; also what it begins with. */
  readonly burst: number
  /** Milliseconds of a clock that never goes back; default `performance.now`. */
  readonly now?: () => number
}

/** A token bucket as client-go's flow control has it. It may go into debt, so that no queue is needed. */
export class TokenBucket {
  readonly #perSecond: number
  readonly #burst: number
  readonly #now: () => number
  #tokens: number
  /** Tokens were counted then; ahead of now, it is the end of a pause. */
  #countedAt: number

  constructor({ perSecond, burst, now = () => performance.now() }: TokenBucketOptions) {
    this.#perSecond = perSecond
    this.#burst = burst
    this.#now = now
    this.#tokens = burst
    this.#countedAt = now()
  }

  /** Whole tokens that can be taken without debt. */
  get tokens(): number {
    this.#count()
    return Math.max(0, Math.floor(this.#tokens))
  }

  take(count: number): void {
    this.#count()
    this.#tokens -= count
  }

  /** Gives back what was taken and not used. */
  giveBack(count: number): void {
    this.#tokens += count
  }

  /** Returns the milliseconds until `count` tokens are available; for 0, until none is owed. */
  waitMs(count: number): number {
    this.#count()
    const pauseMs = Math.max(0, this.#countedAt - this.#now())
    return pauseMs + (Math.max(0, count - this.#tokens) * 1000) / this.#perSecond
  }

  /**
   * Empties the bucket until a time from now; then it fills at its rate. A shorter pause changes nothing.
   * @returns whether this pause is the longer one
   */
  pause(ms: number): boolean {
    const end = this.#now() + ms
    if (end <= this.#countedAt) return false
    this.#tokens = 0
    this.#countedAt = end
    return true
  }

  #count(): void {
    const elapsedMs = Math.max(0, this.#now() - this.#countedAt)
    this.#tokens = Math.min(this.#burst, this.#tokens + (elapsedMs * this.#perSecond) / 1000)
    this.#countedAt += elapsedMs
  }
}
