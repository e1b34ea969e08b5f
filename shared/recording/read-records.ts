import { linesOf } from '../ndjson/index.ts'
import { RecordingError } from './errors.ts'
import { parseRecord } from './parse-record.ts'
import type { RecordingLine } from './record.ts'

/** A line that was passed over. */
export interface LineProblem {
  /** Number of the line, from 1. */
  readonly line: number
  /** A clause that follows the line's place: `is not JSON, or is cut off after 90 characters`. */
  readonly problem: string
}

/**
 * Reads the records of one file or object, a line each. Told of a line that it cannot read, `onProblem` may
 * throw; otherwise the next line follows. Empty lines and kinds that it does not know are passed over.
 * @param chunks the bytes, decompressed
 */
export async function* readRecords(
  chunks: AsyncIterable<Buffer | string>,
  onProblem: (problem: LineProblem) => void,
): AsyncGenerator<RecordingLine> {
  let line = 0
  for await (const text of linesOf(chunks)) {
    line++
    if (text === '') continue
    try {
      const record = parseRecord(text)
      if (record !== undefined) yield record
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error
      onProblem({ line, problem: error.message })
    }
  }
}
