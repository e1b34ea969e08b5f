/** Whole lines of one cluster, that are kept or lost together. */
export interface Chunk {
  readonly cluster: string
  /** Each with its end. */
  readonly lines: string
  /** Number of records that are lost with it. */
  readonly records: number
  /** Lost records that only these lines tell of. */
  readonly lostBefore: number
}

/** Takes what is recorded. It never throws, and nobody waits for it. */
export interface RecordingSink {
  /**
   * Grows when what is appended next begins a new part, such as a file, which must not rely on what parts
   * before it say.
   */
  readonly part: number
  /**
   * Whether other workers' records come to the same place, so that one need not tell what another one wrote.
   */
  readonly isShared: boolean
  /** @returns false where there is no room for it, and it is lost */
  append(chunk: Chunk): boolean
  /** Has the listener told, from now on, of each chunk that is lost after it was taken. */
  onLost(listener: (chunk: Chunk) => void): void
}
