import { access, type FileHandle, open, rename, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertOwnFile, type FileKind, lockFile, targetOf } from '../../files/index.ts'
import type { Chunk, RecordingSink } from './sink.ts'

export interface FileSinkOptions {
  /** The sink appends to it, and first truncates an incomplete last line. */
  readonly file: string
  /** Bytes after which the next file starts; default 64 MiB. */
  readonly maxBytes?: number
  /** Number of older files, from FILE.1 (the newest) to FILE.N; default 15. */
  readonly maxFiles?: number
  /** Maximum number of bytes waiting to be written; default 8 MiB. */
  readonly maxWaitingBytes?: number
  /** Called for each failed write; its records are lost. */
  readonly onProblem: (error: unknown) => void
}

interface FileSink extends RecordingSink {
  /** Writes all waiting data. Nothing may be appended afterwards. */
  close(): Promise<void>
}

const MIB = 2 ** 20
/** Milliseconds for which records are gathered: a recorder creates them in several turns of the loop. */
const GATHER_MS = 50
/** Readable only by the recording user: the file contains names and addresses of Pods. */
const MODE = 0o600
const RECORDING: FileKind = { name: 'a recording', begins: /^\{"v":\d+,"kind":"/, mode: MODE }

interface Waiting extends Chunk {
  readonly part: number
  readonly bytes: number
}

/**
 * Opens a file for a recording. Writes happen in the background and are never awaited. A file that grows too
 * large becomes FILE.1, and FILE.1 becomes FILE.2. A killed process leaves at most one incomplete line, at
 * the end.
 * @throws ForeignFileError if the file, or one that it would become, is not a recording
 * @throws FileInUseError if another process records to it
 * @throws the system's error if the file cannot be opened
 */
export async function openFileSink({
  file: named,
  maxBytes = 64 * MIB,
  maxFiles = 15,
  maxWaitingBytes = 8 * MIB,
  onProblem,
}: FileSinkOptions): Promise<FileSink> {
  // What a link leads to is moved on, where it is: not the link.
  const file = await targetOf(named)
  const found = await stat(file).catch(() => undefined)
  // A device or a pipe has no older files: nothing of it may be renamed.
  const older = found?.isFile() === false ? 0 : maxFiles
  const files = [file, ...Array.from({ length: older }, (_, index) => `${file}.${index + 1}`)]
  for (const one of files) await assertOwnFile(one, RECORDING)
  // Two writers would truncate each other's lines and rotate each other's files.
  const lock = await lockFile(named)
  let { handle, size } = await openWhole(file).catch((error: unknown) => {
    lock.release()
    throw error
  })
  let part = 0
  /** Bytes of the current part, including waiting data. */
  let partBytes = size
  let writtenPart = part
  let waiting: Waiting[] = []
  let waitingBytes = 0
  let writing: Promise<void> | undefined
  let reportLost: (chunk: Chunk) => void = () => undefined

  async function writeAll(): Promise<void> {
    await sleep(GATHER_MS)
    while (waiting.length > 0) {
      const [first] = waiting
      const chunks = waiting.filter((chunk) => chunk.part === first?.part)
      waiting = waiting.slice(chunks.length)
      await write(chunks)
    }
  }

  async function write(chunks: readonly Waiting[]): Promise<void> {
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0)
    try {
      await rotateTo(chunks[0]?.part ?? writtenPart)
      await handle.appendFile(chunks.map(({ lines }) => lines).join(''))
      size += bytes
    } catch (error) {
      // Removes an incomplete line before the next write.
      await handle.truncate(size).catch(() => undefined)
      for (const chunk of chunks) reportLost(chunk)
      onProblem(error)
    } finally {
      waitingBytes -= bytes
    }
  }

  async function rotateTo(wanted: number): Promise<void> {
    if (wanted === writtenPart) return
    // Another process may have created a file there since.
    for (const one of files.slice(1)) await assertOwnFile(one, RECORDING)
    await makeRoom(files)
    const next = await open(file, 'a+', MODE)
    const last = handle
    handle = next
    size = 0
    writtenPart = wanted
    await last.close()
  }

  return {
    isShared: false,
    get part() {
      return part
    },
    append(chunk) {
      const bytes = Buffer.byteLength(chunk.lines)
      if (waitingBytes + bytes > maxWaitingBytes) return false
      waiting.push({ ...chunk, part, bytes })
      waitingBytes += bytes
      partBytes += bytes
      if (partBytes >= maxBytes) {
        part++
        partBytes = 0
      }
      writing ??= writeAll().finally(() => {
        writing = undefined
      })
      return true
    },
    onLost(listener) {
      reportLost = listener
    },
    async close() {
      try {
        await writing
        await handle.close()
      } finally {
        lock.release()
      }
    },
  }
}

/**
 * Renames each file to the next one's name, up to the first name that is free; of a full row the last one
 * goes. Where the next file could not be made, as on a full disk, another attempt moves no file again.
 */
async function makeRoom([file = '', next, ...others]: readonly string[]): Promise<void> {
  if (next === undefined || !(await isThere(file))) return
  await makeRoom([next, ...others])
  await rename(file, next)
}

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false
      throw error
    },
  )

const NEWLINE = 0x0a
const STEP_BYTES = 64 * 2 ** 10

/** @returns the file and its confirmed number of bytes */
async function openWhole(file: string): Promise<{ handle: FileHandle; size: number }> {
  const handle = await open(file, 'a+', MODE)
  return { handle, size: await withoutCutLine(handle) }
}

/** Truncates after the last complete line. @returns the remaining bytes */
async function withoutCutLine(handle: FileHandle): Promise<number> {
  const { size } = await handle.stat()
  let end = size
  while (end > 0) {
    const start = Math.max(0, end - STEP_BYTES)
    const { buffer } = await handle.read(Buffer.alloc(end - start), 0, end - start, start)
    const newline = buffer.lastIndexOf(NEWLINE)
    if (newline >= 0) {
      end = start + newline + 1
      break
    }
    end = start
  }
  if (end < size) await handle.truncate(end)
  return end
}
