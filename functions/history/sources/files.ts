import { createReadStream } from 'node:fs'
import { access } from 'node:fs/promises'
import { HistoryError } from '../errors.ts'
import { decompress } from './decompress.ts'
import type { RecordingSource } from './source.ts'

/**
 * A file of a recording behind the older ones that it was rotated into, FILE.1 the newest of them.
 * @throws HistoryError when there is no such file
 */
export async function* fileSources(file: string): AsyncGenerator<RecordingSource> {
  if (!(await exists(file))) throw new HistoryError(`there is no file ${file}`)
  const files = [file]
  for (let number = 1; await exists(`${file}.${number}`); number++) files.unshift(`${file}.${number}`)
  for (const name of files)
    yield { name, read: () => decompress(name, createReadStream(name, { highWaterMark: CHUNK_BYTES })) }
}

/** Of a day's recording there are gigabytes: larger pieces are fewer. */
const CHUNK_BYTES = 2 ** 20

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )
