import { open, stat } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { targetOf } from './own-file.ts'

/** Another process has the file open for writing. */
class FileInUseError extends Error {
  override readonly name = 'FileInUseError'
}

/** A file that no other process may write to meanwhile. */
interface ExclusiveFile {
  release(): void
}

/** The result code of SQLite for a file that another process has locked. */
const SQLITE_BUSY = 5

/**
 * Locks a file for one writer, until it is released or the process ends, however it ends. The lock is the
 * system's, on `FILE.lock` beside it, which stays: Node has no locks of its own, and SQLite has. A device or
 * a pipe is not locked.
 * @throws FileInUseError @throws the system's error where the lock cannot be made
 */
export async function lockFile(file: string): Promise<ExclusiveFile> {
  const target = await targetOf(file)
  const found = await stat(target).catch(() => undefined)
  if (found !== undefined && !found.isFile()) return { release: () => undefined }
  const name = `${target}.lock`
  // SQLite does not say why it cannot make a file.
  await (await open(name, 'a', 0o600)).close()
  const database = new DatabaseSync(name)
  try {
    database.exec('PRAGMA journal_mode = OFF; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (!isBusy(error)) throw error
    throw new FileInUseError(`another process writes to ${file}: end it, or name another file`)
  }
  return { release: () => database.close() }
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
