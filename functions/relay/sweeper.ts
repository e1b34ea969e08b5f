import { type ComparedKey, type KeyText, keyText, type ServiceKey } from '../../shared/changes/index.ts'
import { inTurns, type NextTurn } from '../../shared/kubernetes/index.ts'

/** A key that changed less than this time ago, in milliseconds, is about to be written. */
const RECENT_MS = 2_000

interface SweeperOptions {
  /** Between the end of a sweep and the next one. */
  readonly intervalMs: number
  /** Compares every key of the cluster. */
  readonly compareWithDesired: () => Iterable<ComparedKey>
  /** Returns the keys that wait to be sent: they need not be found. */
  readonly waiting: () => ReadonlySet<KeyText>
  /** Shared with what else takes long. */
  readonly nextTurn: NextTurn
  /** Called after each sweep with the keys whose slices are not right, or may not be. */
  readonly onSwept: (keys: readonly ServiceKey[]) => void
}

/** Finds, at intervals, keys whose slices are not as they should be, and reads nothing for it. */
export class Sweeper {
  readonly #options: SweeperOptions
  /** Times at which keys changed of late, in the order of the last change of each. */
  readonly #changedAt = new Map<KeyText, number>()
  #timer: NodeJS.Timeout | undefined
  readonly #ending = new AbortController()

  constructor(options: SweeperOptions) {
    this.#options = options
  }

  start(): void {
    const { intervalMs } = this.#options
    if (!this.#ending.signal.aborted) this.#timer = setTimeout(() => void this.#sweep(), intervalMs)
  }

  /** Notes that keys were sent for a change: for a moment their slices need not be right. */
  changed(keys: readonly ServiceKey[]): void {
    for (const text of this.#changedAt.keys()) {
      if (this.#isRecent(text)) break
      this.#changedAt.delete(text)
    }
    for (const text of keys.map(keyText)) {
      this.#changedAt.delete(text)
      this.#changedAt.set(text, performance.now())
    }
  }

  stop(): void {
    this.#ending.abort()
    clearTimeout(this.#timer)
  }

  async #sweep(): Promise<void> {
    const { compareWithDesired, waiting, nextTurn, onSwept } = this.#options
    const found: ServiceKey[] = []
    const { signal } = this.#ending
    for await (const { state, ...key } of inTurns(compareWithDesired(), nextTurn, signal))
      if (state !== 'right' && !this.#isRecent(keyText(key))) found.push(key)
    if (signal.aborted) return
    const sending = waiting()
    onSwept(found.filter((key) => !sending.has(keyText(key))))
    this.start()
  }

  #isRecent(key: KeyText): boolean {
    const at = this.#changedAt.get(key)
    return at !== undefined && performance.now() - at < RECENT_MS
  }
}
