import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { homedir, hostname } from 'node:os'
import { dirname, join } from 'node:path'
import * as v from 'valibot'
import { type FileKind, replaceOwnFile } from '../files/index.ts'
import { object, safeParse } from '../schema/index.ts'

const credentialsSchema = object({
  accessKeyId: v.string(),
  secretAccessKey: v.string(),
  /** Machine or container of the process: several may share the folder of the files. */
  host: v.optional(v.string()),
})

/** Credentials that a process made for the queue that it serves on a port of this machine. */
export type LocalCredentials = Readonly<v.InferOutput<typeof credentialsSchema>>

const CREDENTIALS: FileKind = { name: 'credentials of a queue', begins: /^\{"accessKeyId":/, mode: 0o600 }

/** 192 bits for each part. */
const BYTES = 24

export const createLocalCredentials = (): LocalCredentials => ({
  accessKeyId: randomBytes(BYTES).toString('hex'),
  secretAccessKey: randomBytes(BYTES).toString('hex'),
  host: hostname(),
})

/** Returns the files that may hold the credentials for a port: a container may have but the second folder. */
const filesOf = (port: number): readonly string[] =>
  [
    join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'sliceflow', 'queues'),
    `/dev/shm/sliceflow-${process.getuid?.()}`,
  ].map((folder) => join(folder, `${port}.json`))

/**
 * Writes the credentials to a file that only this user can read, where commands of the same user find them.
 * Files beside it are removed where their process was killed.
 * @returns the file
 */
export async function writeLocalCredentials(port: number, credentials: LocalCredentials): Promise<string> {
  const problems: unknown[] = []
  for (const file of filesOf(port))
    try {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      await replaceOwnFile(file, JSON.stringify(credentials), CREDENTIALS)
      // Files that stay harm nobody: what serves here must start.
      await removeAbandoned(dirname(file)).catch(() => undefined)
      return file
    } catch (error) {
      problems.push(error)
    }
  throw new AggregateError(problems, problems.map(String).join('; '))
}

/** Reads the credentials for a port; undefined if no process of this user left any. */
export async function readLocalCredentials(port: number): Promise<LocalCredentials | undefined> {
  for (const file of filesOf(port)) {
    const credentials = await readCredentials(file)
    if (credentials !== undefined) return credentials
  }
  return undefined
}

async function readCredentials(file: string): Promise<LocalCredentials | undefined> {
  try {
    return safeParse(credentialsSchema, JSON.parse(await readFile(file, 'utf8'))).data
  } catch {
    // The server may be another one, which needs none, and says so if it does.
    return undefined
  }
}

/** Removes the file, unless another process has written it since. */
export async function removeLocalCredentials(port: number, { accessKeyId }: LocalCredentials): Promise<void> {
  for (const file of filesOf(port))
    if ((await readCredentials(file))?.accessKeyId === accessKeyId) await rm(file, { force: true })
}

/** A listener of this machine accepts a connection at once, in milliseconds. */
const ACCEPT_MS = 1_000

/** Removes the files in a folder whose processes were of this host, and listen no more. */
async function removeAbandoned(folder: string): Promise<void> {
  const ports = (await readdir(folder)).map((name) => Number.parseInt(name, 10))
  await Promise.all(
    ports.map(async (port) => {
      const credentials = await readCredentials(join(folder, `${port}.json`))
      if (credentials?.host === hostname() && (await isRefused(port)))
        await removeLocalCredentials(port, credentials)
    }),
  )
}

/** Reports whether no process listens on a port of this machine; false if that is not certain. */
const isRefused = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: ACCEPT_MS })
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'))
    for (const event of ['connect', 'timeout'])
      socket.once(event, () => {
        socket.destroy()
        resolve(false)
      })
  })
