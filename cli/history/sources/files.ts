import { type FileHandle, open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { constants, createGunzip } from 'node:zlib'
import { targetOf } from '../../../shared/files/index.ts'
import { type RecordingLine, readRecords } from '../../../shared/recording/index.ts'
import { errorMessage } from '../../../shared/values/index.ts'

export interface RecordingSource {
  /** Name for people, such as `record.ndjson` or `s3://bucket/key`. */
  readonly name: string
  /** Yields its bytes, decompressed. The iteration throws if they cannot be read. */
  read(): AsyncIterable<Buffer | string>
}

/** Decompresses a source whose name ends in `.gz`. If it is cut off, the part before the cut is read. */
export function decompress(name: string, bytes: Readable): Readable {
  if (!name.endsWith('.gz')) return bytes
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH })
  bytes.on('error', (error) => gunzip.destroy(error))
  return bytes.pipe(gunzip)
}

/**
 * Reads the records of a source. An invalid line is reported with its position, and reading continues. So is
 * an object that is gone since it was listed: a bucket with a lifecycle loses some all the time.
 * @throws HistoryError when the source itself cannot be read
 */
export async function* readSource(
  { name, read }: RecordingSource,
  onProblem: (problem: string) => void,
): AsyncGenerator<RecordingLine> {
  try {
    yield* readRecords(read(), ({ line, problem }) => onProblem(`${name}, line ${line}: it ${problem}`))
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'NoSuchKey')
      return onProblem(`${name}: it expired, or was deleted, after it was listed`)
    const reason = errorMessage(cause)
    throw new HistoryError(`failed to read ${name}: ${reason}`, { cause })
  }
}

interface OpenFile {
  readonly name: string
  readonly handle: FileHandle
  /** False for a pipe. */
  readonly isFile: boolean
}

/**
 * Yields a file of a recording after the older ones into which it was rotated, of which FILE.1 is the newest.
 * All are opened at once, so that none is passed over that a running process moves on while they are read.
 * @param known files that are read already, as `record.ndjson*` names each of them; it gets these as well
 * @param isReadAgain refuses a pipe, which would be empty the next time
 * @throws HistoryError when there is no such file, or one cannot be opened
 */
export async function* fileSources(
  file: string,
  known: Set<string>,
  isReadAgain: boolean,
): AsyncGenerator<RecordingSource> {
  // What a link leads to has its older files beside it.
  const files = await openFiles(await targetOf(file), known)
  if (files === undefined) throw new HistoryError(`there is no file ${file}`)
  try {
    for (const { name, handle, isFile } of files) {
      if (isReadAgain && !isFile)
        throw new HistoryError(`${file} is no file, and is read more than once: save the recording to a file`)
      yield { name, read: () => decompress(name, handle.createReadStream({ highWaterMark: CHUNK_BYTES })) }
    }
  } finally {
    await Promise.all(files.map(({ handle }) => handle.close()))
  }
}

/**
 * Opens the newest file first: one that is moved on meanwhile is met again, under its next name.
 * @returns undefined where there is none
 */
async function openFiles(file: string, known: Set<string>): Promise<OpenFile[] | undefined> {
  const files: OpenFile[] = []
  let isFound = false
  for (let number = 0; ; number++) {
    const name = number === 0 ? file : `${file}.${number}`
    const handle = await openUnlessMissing(name)
    if (handle === undefined) {
      if (number > 0) return isFound ? files : undefined
      // A full disk has no room for the next one after a rotation.
      continue
    }
    isFound = true
    const stats = await handle.stat()
    const id = `${stats.dev}:${stats.ino}`
    if (known.has(id)) await handle.close()
    else files.unshift({ name, handle, isFile: stats.isFile() })
    known.add(id)
  }
}

async function openUnlessMissing(name: string): Promise<FileHandle | undefined> {
  try {
    return await open(name)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new HistoryError(`failed to read ${name}: ${errorMessage(cause)}`, { cause })
  }
}

/** Size of the pieces that are read. A day's recording has gigabytes: larger pieces are fewer. */
const CHUNK_BYTES = 2 ** 20

/** A recording cannot be read; the message says which, and what may help. */
export class HistoryError extends Error {
  override readonly name = 'HistoryError'
}
