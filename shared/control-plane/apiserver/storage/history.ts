import type { RecordedChange } from './change.ts'

/** The latest changes, oldest first, at most `window` of them. */
export class History {
  readonly #window: number
  readonly #onTrim: (compacted: number) => void
  #changes: RecordedChange[] = []
  #compacted: number

  /**
   * @param revision the present one; nothing before it is known
   * @param onTrim told of the newest revision that was dropped, now and then
   */
  constructor(window: number, revision: number, onTrim: (compacted: number) => void) {
    this.#window = window
    this.#compacted = revision
    this.#onTrim = onTrim
  }

  /** The newest revision whose changes are no longer known; a watch can begin at it but not before it. */
  get compacted(): number {
    return this.#compacted
  }

  append(change: RecordedChange): void {
    this.#changes.push(change)
    // Trimmed in bulk, so that the cost of moving the array is spread over many writes.
    if (this.#changes.length >= this.#window * 2) this.#trim()
    else if (this.#changes.length > this.#window) {
      this.#compacted = this.#changes[this.#changes.length - this.#window - 1]?.revision ?? this.#compacted
    }
  }

  /** Returns the changes of one resource after a revision that is not compacted, oldest first. */
  since(resource: string, revision: number): RecordedChange[] {
    const out: RecordedChange[] = []
    for (let index = this.#changes.length - 1; index >= 0; index--) {
      const change = this.#changes[index]
      if (!change || change.revision <= revision) break
      if (change.resource === resource) out.push(change)
    }
    return out.reverse()
  }

  #trim(): void {
    const dropped = this.#changes.length - this.#window
    this.#compacted = this.#changes[dropped - 1]?.revision ?? this.#compacted
    this.#changes = this.#changes.slice(dropped)
    this.#onTrim(this.#compacted)
  }
}
