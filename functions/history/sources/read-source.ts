import { type RecordingLine, readRecords } from '../../../shared/recording/index.ts'
import { errorMessage } from '../../../shared/values/index.ts'
import { HistoryError } from '../errors.ts'
import type { RecordingSource } from './source.ts'

/**
 * Reads the records of a source. An invalid line is reported with its position, and reading continues.
 * @throws HistoryError when the source itself cannot be read
 */
export async function* readSource(
  { name, read }: RecordingSource,
  onProblem: (problem: string) => void,
): AsyncGenerator<RecordingLine> {
  try {
    yield* readRecords(read(), ({ line, problem }) => onProblem(`${name}, line ${line}: it ${problem}`))
  } catch (cause) {
    const reason = errorMessage(cause)
    throw new HistoryError(`failed to read ${name}: ${reason}`, { cause })
  }
}
