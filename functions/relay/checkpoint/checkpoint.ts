import { hash } from 'node:crypto'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { KEY_DIGEST_VERSION, type KeyText } from '../../../shared/changes/index.ts'
import { type FileKind, replaceOwnFile } from '../../../shared/files/index.ts'
import { dateTime, finite, object, record, safeParse } from '../../../shared/schema/index.ts'

/** Keys that the queue has accepted, each with the digest of its cluster's state at that time. */
export type AcceptedKeys = ReadonlyMap<KeyText, string>

export interface CheckpointFile {
  /** Reads the keys, or returns why there is no usable checkpoint. Never rejects. */
  read(): Promise<{ readonly keys: AcceptedKeys } | { readonly problem: string }>
  /** Replaces the checkpoint as a whole: a process that is killed meanwhile leaves the old one. */
  write(keys: AcceptedKeys): Promise<void>
  /** Removes the checkpoint. */
  discard(): Promise<void>
}

export interface CheckpointFileOptions {
  /** Made where it does not exist. */
  readonly directory: string
  readonly cluster: string
  /**
   * Digest of the settings that decide what is published, and of the queues. If it changes, the slices of
   * every key may have to change, or the queue that accepted it may have no consumer.
   */
  readonly settings: string
  /** Resolves to an identity of the cluster, independent of its name; default: its name. */
  readonly identity?: (() => Promise<string>) | undefined
  /** Milliseconds since 1970; default `Date.now`. */
  readonly now?: () => number
}

/** An audit has come by in that time, which repairs what functions have given up since. */
const MAX_AGE_MS = 24 * 60 * 60_000

const DAMAGED = 'it is damaged'

const CHECKPOINT: FileKind = { name: 'a checkpoint', begins: /^\{"version":\d+,"cluster":/, mode: 0o600 }

const SCHEMA = object({
  version: finite(),
  cluster: v.string(),
  /** Identity of the cluster, independent of its name. */
  identity: v.optional(v.string()),
  settings: v.string(),
  writtenAt: dateTime(),
  /** Digests by `namespace/service`. */
  keys: record(v.string(), v.string()),
})

/** Creates a checkpoint of one file for a cluster; several relays may share the directory. */
export function createCheckpointFile({
  directory,
  cluster,
  settings,
  identity,
  now = Date.now,
}: CheckpointFileOptions): CheckpointFile {
  const path = join(directory, fileName(cluster))
  const prefix = `${cluster}/`

  function problemOf(file: v.InferOutput<typeof SCHEMA>, own: string | undefined): string | undefined {
    const { version, writtenAt } = file
    if (version !== KEY_DIGEST_VERSION) return `it is of version ${version}, not ${KEY_DIGEST_VERSION}`
    if (file.cluster !== cluster) return `it is of cluster ${file.cluster}`
    if (file.identity !== own) return 'it is of another cluster of this name'
    if (file.settings !== settings) return 'it was made with other settings or queues'
    const ageMs = now() - Date.parse(writtenAt)
    return ageMs > MAX_AGE_MS || ageMs < -MAX_AGE_MS ? `it was written at ${writtenAt}` : undefined
  }

  return {
    async read() {
      try {
        const file = safeParse(SCHEMA, JSON.parse(await readFile(path, 'utf8')))
        if (!file.success) return { problem: DAMAGED }
        const problem = problemOf(file.data, await identity?.())
        if (problem !== undefined) return { problem }
        return {
          keys: new Map(
            Object.entries(file.data.keys).map(([key, digest]) => [`${prefix}${key}` as KeyText, digest]),
          ),
        }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { problem: 'there is none' }
        if (error instanceof SyntaxError) return { problem: DAMAGED }
        return { problem: `it cannot be read: ${(error as Error).message}` }
      }
    },
    async write(keys) {
      const entries = [...keys].map(([key, digest]) => [key.slice(prefix.length), digest])
      const file: v.InferInput<typeof SCHEMA> = {
        version: KEY_DIGEST_VERSION,
        cluster,
        identity: await identity?.(),
        settings,
        writtenAt: new Date(now()).toISOString(),
        keys: Object.fromEntries(entries),
      }
      await mkdir(directory, { recursive: true })
      await replaceOwnFile(path, JSON.stringify(file), CHECKPOINT)
    },
    discard: () => rm(path, { force: true }),
  }
}

/** Names a cluster's file. The name may be an ARN: only safe characters stay, and a digest is added. */
function fileName(cluster: string): string {
  const readable = cluster.replace(/[^A-Za-z0-9.-]+/g, '_').slice(-80)
  return `${readable}-${hash('sha256', cluster).slice(0, 8)}.json`
}
