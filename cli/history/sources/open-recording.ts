import type { RecordingLine } from '../../../shared/recording/index.ts'
import { counted } from '../../terminal/index.ts'
import { merge } from '../in-order.ts'
import { fileSources, type RecordingSource, readSource } from './files.ts'
import { parseS3Url, s3Sources, type Wanted } from './s3.ts'

/** A query that bounds what is read from S3, as far as keys name days and clusters; more may come. */
export interface RecordingQuery extends Wanted {
  /** Files, each with those that it was rotated into, or `s3://BUCKET/PREFIX`. */
  readonly from: readonly string[]
  /** Set where the recording is read more than once, so that none of its files may be a pipe. */
  readonly isReadAgain?: boolean
  /**
   * Called with each of the first 10 lines or objects that cannot be read, its place and what is wrong with
   * it, and at the end with the number of others.
   */
  readonly onProblem: (problem: string) => void
}

/** A recording of another version has a problem a line, and there may be millions. */
const MAX_PROBLEMS = 10

/**
 * Reads the records of all sources as one recording, each of them in its order, and never more of them than
 * it is asked for.
 * @throws HistoryError when a source cannot be read
 */
export async function* openRecording({
  from,
  isReadAgain = false,
  onProblem,
  ...wanted
}: RecordingQuery): AsyncGenerator<RecordingLine> {
  const known = new Set<string>()
  let problems = 0
  const note = (problem: string): void => {
    problems++
    if (problems <= MAX_PROBLEMS) onProblem(problem)
  }
  const streams = from.map((text) => {
    const location = parseS3Url(text)
    const sources =
      location === undefined ? fileSources(text, known, isReadAgain) : s3Sources(location, wanted)
    return linesOf(sources, note)
  })
  yield* merge(streams)
  if (problems > MAX_PROBLEMS) onProblem(`${counted(problems - MAX_PROBLEMS, 'more line')} cannot be read`)
}

async function* linesOf(
  sources: AsyncIterable<RecordingSource>,
  onProblem: RecordingQuery['onProblem'],
): AsyncGenerator<RecordingLine> {
  for await (const source of sources) yield* readSource(source, onProblem)
}
