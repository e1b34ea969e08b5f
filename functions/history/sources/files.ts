import { createReadStream } from 'node:fs'
import { access } from 'node:fs/promises'
import { HistoryError } from '../errors.ts'
import { decompress } from './decompress.ts'
import type { RecordingSource } from './source.ts'

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
