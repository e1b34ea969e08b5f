import type { KeyText } from '../../../shared/changes/index.ts'
import type { Log } from '../../../shared/telemetry/index.ts'
import type { AcceptedKeys, CheckpointFile } from './checkpoint.ts'

/** Often enough that a crash costs few keys; each time reads everything that is known of the cluster once. */
const INTERVAL_MS = 60_000
/** Also of a cluster in which nothing changes, so that its checkpoint does not grow too old. */
const REFRESH_MS = 60 * 60_000

interface CheckpointerOptions {
  readonly cluster: string
  readonly file: CheckpointFile
  /** Returns what the queue has accepted so far. */
  readonly accepted: () => AcceptedKeys
  readonly logger: Log
  readonly onFailed: () => void
}

export type Checkpointer = ReturnType<typeof createCheckpointer>

/** Keeps a cluster's checkpoint up to date. */
export function createCheckpointer({ cluster, file, accepted, logger, onFailed }: CheckpointerOptions) {
  let timer: NodeJS.Timeout | undefined
  let isDue = false
  let isSuspended = false
  let writtenAt = Number.NEGATIVE_INFINITY
  // One after the other: a late write must not undo a later one.
  let work = Promise.resolve()

  const attempt = (action: () => Promise<void>): Promise<void> => {
    work = work.then(action).catch((err: unknown) => {
      onFailed()
      isDue = true
      logger.warn({ cluster, err }, 'cannot keep the checkpoint: the next start sends more keys than needed')
    })
    return work
  }

  function writeIfDue(): Promise<void> {
    return attempt(async () => {
      const now = performance.now()
      if (isSuspended || (!isDue && now - writtenAt < REFRESH_MS)) return
      isDue = false
      writtenAt = now
      await file.write(accepted())
    })
  }

  return {
    /** Notes that something changed: a checkpoint is due. */
    touch(): void {
      isDue = true
    },
    /** Starts to write the checkpoint at intervals. */
    start(): void {
      timer = setInterval(() => void writeIfDue(), INTERVAL_MS)
    },
    /** Invalidates the checkpoint, until `resume`. */
    suspend(): Promise<void> {
      isSuspended = true
      return attempt(() => file.discard())
    },
    resume(): void {
      isSuspended = false
      isDue = true
    },
    /** Writes the last one. */
    async stop(): Promise<void> {
      if (timer === undefined) return work
      clearInterval(timer)
      await writeIfDue()
    },
  }
}

/** Returns the keys to send at a start: those whose state is not the one that the queue accepted. */
export function changedSince(
  before: AcceptedKeys,
  now: { readonly keys: Iterable<KeyText>; readonly digests: ReadonlyMap<KeyText, string> },
): Set<KeyText> {
  const changed = new Set<KeyText>()
  const present = new Set(now.keys)
  for (const key of present) {
    const digest = now.digests.get(key)
    if (digest === undefined || digest !== before.get(key)) changed.add(key)
  }
  for (const key of before.keys()) if (!present.has(key)) changed.add(key)
  return changed
}
