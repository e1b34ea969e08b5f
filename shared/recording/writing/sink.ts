/** Complete lines of one cluster that are stored or lost together. */
export interface Chunk {
  readonly cluster: string
  /** Each ends with a line feed. */
  readonly lines: string
  readonly records: number
  /** Number of earlier lost records that only these lines report. */
  readonly lostBefore: number
}

/** Receives recorded lines. Its methods never throw and return without waiting. */
export interface RecordingSink {
  /** Grows when the next chunk starts a new part, such as a file. A part must not depend on earlier parts. */
  readonly part: number
  /** Whether other workers record to the same location, so that their writes need not be recorded again. */
  readonly isShared: boolean
  /** @returns false if there is no room; the chunk is lost */
  append(chunk: Chunk): boolean
  /** Calls the listener for each chunk that is lost after it was accepted. */
  onLost(listener: (chunk: Chunk) => void): void
}
