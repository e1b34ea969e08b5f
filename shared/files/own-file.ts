import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import {
  access,
  type FileHandle,
  open,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/**
 * A kind of file that the project writes. One rule holds for all: a file is appended to or replaced only if
 * it is empty or begins as a file of its kind; nothing of others is ever lost by a mistyped name.
 */
export interface FileKind {
  /** With an article, such as `a recording`. */
  readonly name: string
  /** Matches the first {@link HEAD_BYTES} bytes, as text. */
  readonly begins: RegExp
  /** Permissions; 0o600 for what holds secrets or names of others. */
  readonly mode: number
}

const HEAD_BYTES = 16 * 1024

/** Returns the file that a name leads to, also where a link leads to none yet; else the name itself. */
export async function targetOf(file: string): Promise<string> {
  const problem = await stat(file).catch((error: NodeJS.ErrnoException) => error.code)
  if (problem !== 'ENOENT') return realpath(file).catch(() => file)
  const link = await readlink(file).catch(() => undefined)
  return link === undefined ? file : targetOf(resolve(await realpath(dirname(file)), link))
}

/** The file is of another kind; nothing was written. */
export class ForeignFileError extends Error {
  override readonly name = 'ForeignFileError'
}

/**
 * Refuses a file that may not be written to as one of the kind; one that is not there may.
 * @returns the beginning of the file; empty for one that is not there, or that is a device or a pipe
 * @throws ForeignFileError @throws the system's error where it cannot be read or written
 */
export async function assertOwnFile(file: string, { name, begins }: FileKind): Promise<string> {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (found?.isDirectory()) throw new ForeignFileError(`${file} is a directory, not ${name}`)
  // Reading from a pipe would wait for its writer.
  if (found !== undefined && !found.isFile()) return ''
  if (found !== undefined) await access(file, constants.W_OK)
  // A new file takes its place.
  await access(dirname(await targetOf(file)), constants.W_OK)
  if (found === undefined) return ''
  const handle = await open(file, 'r')
  try {
    const head = await headOf(handle)
    if (head === '' || begins.test(head)) return head
  } finally {
    await handle.close()
  }
  throw new ForeignFileError(`${file} is not ${name}, and stays as it is: name another file, or remove it`)
}

async function headOf(handle: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
  return buffer.toString('utf8', 0, bytesRead)
}

/**
 * Replaces a file of the kind as a whole, so that no reader sees half of it. A link stays, and what it leads
 * to is replaced; a device or a pipe is written to.
 * @throws ForeignFileError @throws the system's error where it cannot be written
 */
export async function replaceOwnFile(file: string, text: string, kind: FileKind): Promise<void> {
  await assertOwnFile(file, kind)
  const target = await targetOf(file)
  const found = await stat(target).catch(() => undefined)
  if (found !== undefined && !found.isFile()) return await writeFile(target, text)
  const draft = `${target}.${randomUUID()}`
  try {
    await writeFile(draft, text, { mode: kind.mode, flag: 'wx', flush: true })
    await rename(draft, target)
  } finally {
    await rm(draft, { force: true })
  }
}
