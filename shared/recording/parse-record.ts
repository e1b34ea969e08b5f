import { RecordingError } from './errors.ts'
import { isPlainRecord } from './plain-record.ts'
import type { RecordingLine } from './record.ts'
import { checkRecord } from './record-schema.ts'

/**
 * Reads a line of a recording. Members that it does not know stay in the record.
 * @returns `undefined` for a kind that it does not know
 * @throws RecordingError saying what is wrong with the line, without quoting it
 */
export function parseRecord(line: string): RecordingLine | undefined {
  const value = parseJson(line)
  return isPlainRecord(value) || checkRecord(value) ? value : undefined
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // V8's SyntaxError quotes the line, which nobody has vetted.
    throw new RecordingError(`is not JSON, or is cut off after ${line.length} characters`)
  }
}
