import { RecordingError } from './errors.ts'
import type { RecordingLine } from './record.ts'
import { checkRecord } from './record-schema.ts'

/**
 * Parses a line of a recording. Unknown members stay in the record.
 * @returns `undefined` for an unknown kind
 * @throws RecordingError with the problem, without quoting the line
 */
export function parseRecord(line: string): RecordingLine | undefined {
  const value = parseJson(line)
  return checkRecord(value) ? value : undefined
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // V8's SyntaxError quotes the line, whose content is untrusted.
    throw new RecordingError(`is not JSON, or is cut off after ${line.length} characters`)
  }
}
