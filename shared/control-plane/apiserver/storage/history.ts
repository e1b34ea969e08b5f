import type { RecordedChange } from './change.ts'

/** Limits of a history; the older changes are dropped as soon as one of them is exceeded. */
export interface HistoryLimits {
  /** Number of changes. Default 10000. */
  readonly changes?: number | undefined
  /** Characters of the changes' JSON texts, with those of the states before. Default 2^26. */
  readonly size?: number | undefined
}

/** The latest changes, oldest first, within limits of their number and of their size. */
export class History {
  readonly #maxChanges: number
  readonly #maxSize: number
  /** Those before `#first` are dropped: their places are empty, so that their objects take no memory. */
  #changes: (RecordedChange | undefined)[] = []
  #first = 0
  #size = 0
  #compacted: number

  /** @param revision the present one; nothing before it is known */
  constructor({ changes = 10_000, size = 2 ** 26 }: HistoryLimits, revision: number) {
    this.#maxChanges = changes
    this.#maxSize = size
    this.#compacted = revision
  }

  /** The newest revision whose changes are no longer known; a watch can begin at it but not before it. */
  get compacted(): number {
    return this.#compacted
  }

  /**
   * Appends the next change, and drops the oldest ones beyond the limits. Returns the newest dropped revision
   * once half of what was appended is dropped: then storage had better forget it, too.
   */
  append(change: RecordedChange): number | undefined {
    // Revisions have no gaps, so that the first change says where the history begins.
    if (this.#first === this.#changes.length) this.#compacted = change.revision - 1
    this.#changes.push(change)
    this.#size += sizeOf(change)
    while (this.#isOver()) this.#drop()
    // Moved in bulk, so that the cost of moving the array is spread over many writes.
    if (this.#first === 0 || this.#first * 2 < this.#changes.length) return undefined
    this.#changes = this.#changes.slice(this.#first)
    this.#first = 0
    return this.#compacted
  }

  /** Returns the changes of one resource after a revision that is not compacted, oldest first. */
  since(resource: string, revision: number): RecordedChange[] {
    const out: RecordedChange[] = []
    for (let index = this.#changes.length - 1; index >= this.#first; index--) {
      const change = this.#changes[index]
      if (!change || change.revision <= revision) break
      if (change.resource === resource) out.push(change)
    }
    return out.reverse()
  }

  #isOver(): boolean {
    const length = this.#changes.length - this.#first
    return length > 0 && (length > this.#maxChanges || this.#size > this.#maxSize)
  }

  #drop(): void {
    const change = this.#changes[this.#first]
    this.#changes[this.#first++] = undefined
    if (change === undefined) return
    this.#size -= sizeOf(change)
    this.#compacted = change.revision
  }
}

const sizeOf = ({ json, before }: RecordedChange): number => json.length + (before?.json.length ?? 0)
