import { createReadStream } from 'node:fs'
import { access } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { constants, createGunzip } from 'node:zlib'
import { type RecordingLine, readRecords } from '../../../shared/recording/index.ts'
import { errorMessage } from '../../../shared/values/index.ts'
import { HistoryError } from '../errors.ts'

/** A file or an object of a recording. */
export interface RecordingSource {
  /** Name for people, such as `record.ndjson` or `s3://bucket/key`. */
  readonly name: string
  /** Yields its bytes, decompressed. The iteration throws if they cannot be read. */
  read(): AsyncIterable<Buffer | string>
}

/**
 * Decompresses the bytes of a source whose name ends in `.gz`; others stay. If a source is cut off, the part
 * before the cut is read.
 */
export function decompress(name: string, bytes: Readable): Readable {
  if (!name.endsWith('.gz')) return bytes
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH })
  bytes.on('error', (error) => gunzip.destroy(error))
  return bytes.pipe(gunzip)
}

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

/**
 * Yields a file of a recording after the older ones into which it was rotated, of which FILE.1 is the newest.
 * @throws HistoryError when there is no such file
 */
export async function* fileSources(file: string): AsyncGenerator<RecordingSource> {
  if (!(await exists(file))) throw new HistoryError(`there is no file ${file}`)
  const files = [file]
  for (let number = 1; await exists(`${file}.${number}`); number++) files.unshift(`${file}.${number}`)
  for (const name of files)
    yield { name, read: () => decompress(name, createReadStream(name, { highWaterMark: CHUNK_BYTES })) }
}

/** Size of the pieces that are read. A day's recording has gigabytes: larger pieces are fewer. */
const CHUNK_BYTES = 2 ** 20

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )
