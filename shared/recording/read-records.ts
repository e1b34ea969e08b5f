import { linesOf } from '../ndjson/index.ts'
import { RecordingError } from './format/errors.ts'
import { parseRecord } from './format/parse-record.ts'
import type { RecordingLine } from './format/record.ts'

export interface LineProblem {
  /** Number of the line, from 1. */
  readonly line: number
  /** A clause to print after the line's position: `is not JSON, or is cut off after 90 characters`. */
  readonly problem: string
}

/**
 * Reads the records of one file or object, one per line. Calls `onProblem` for an unreadable line; it may
 * throw, otherwise the next line follows. Skips empty lines and unknown kinds.
 * @param chunks the decompressed bytes
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
