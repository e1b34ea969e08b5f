import { type FileHandle, open, rename } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertOwnFile, type FileKind, lockFile } from '../files/index.ts'
import type { Chunk, RecordingSink } from './sink.ts'

export interface FileSinkOptions {
  /** It is appended to; a line that was cut off at its end is taken off. */
  readonly file: string
  /** Bytes of a file after which the next one begins; default 64 MiB. */
  readonly maxBytes?: number
  /** Older files that are kept as FILE.1, the newest of them, to FILE.N; default 15. */
  readonly maxFiles?: number
  /** Bytes that may wait to be written; default 8 MiB. */
  readonly maxWaitingBytes?: number
  /** Called with each failure to write; the records that were to be written are lost. */
  readonly onProblem: (error: unknown) => void
}

export interface FileSink extends RecordingSink {
  /** Writes what waits. Nothing may be appended any more. */
  close(): Promise<void>
}

const MIB = 2 ** 20
/**
 * Time in milliseconds in which records are gathered and then written at once: a recorder makes them in
 * several turns.
 */
const GATHER_MS = 50
/** Only whoever records has a right to read it: names and addresses of Pods are in it. */
const MODE = 0o600
const RECORDING: FileKind = { name: 'a recording', begins: /^\{"v":\d+,"kind":"/, mode: MODE }

interface Waiting extends Chunk {
  readonly part: number
  readonly bytes: number
}

/**
 * Opens a file that a recording is appended to. It is written beside the work and never waited for; when it
 * grows too large it becomes FILE.1, and that FILE.2. A process that is killed leaves at most one line that
 * is cut off, at the end.
 * @throws ForeignFileError where the file, or one that it is to become, is no recording
 * @throws FileInUseError where another process records to it
 * @throws the system's error where the file cannot be opened
 */
export async function openFileSink({
  file,
  maxBytes = 64 * MIB,
  maxFiles = 15,
  maxWaitingBytes = 8 * MIB,
  onProblem,
}: FileSinkOptions): Promise<FileSink> {
  const files = [file, ...Array.from({ length: maxFiles }, (_, index) => `${file}.${index + 1}`)]
  for (const one of files) await assertOwnFile(one, RECORDING)
  // Two writers would cut each other's lines off, and push each other's files out.
  const lock = await lockFile(file)
  let { handle, size } = await openWhole(file).catch((error: unknown) => {
    lock.release()
    throw error
  })
  let part = 0
  /** Bytes of the current part, with those that wait. */
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
      // No half line may be left before what follows.
      await handle.truncate(size).catch(() => undefined)
      for (const chunk of chunks) reportLost(chunk)
      onProblem(error)
    } finally {
      waitingBytes -= bytes
    }
  }

  async function rotateTo(wanted: number): Promise<void> {
    if (wanted === writtenPart) return
    // Others may have put a file there since.
    for (const one of files.slice(1)) await assertOwnFile(one, RECORDING)
    for (const [index, one] of [...files.slice(0, -1).entries()].reverse())
      await rename(one, files[index + 1] ?? one).catch(ignoreMissing)
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

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

const NEWLINE = 0x0a
const STEP_BYTES = 64 * 2 ** 10

/** @returns the file, and the bytes that are in it for certain */
async function openWhole(file: string): Promise<{ handle: FileHandle; size: number }> {
  const handle = await open(file, 'a+', MODE)
  return { handle, size: await withoutCutLine(handle) }
}

/** Takes off what follows the last whole line. @returns the bytes that are left */
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
