import type { CheckpointFile } from './checkpoint.ts'

export interface InitialSyncOptions<Kind extends string> {
  /** Each is listed once. */
  readonly kinds: readonly Kind[]
  /** Default: none, for the reason that `without` gives. */
  readonly checkpointFile?: CheckpointFile | undefined
  readonly without: string
  /** Nothing is reported once it aborts. */
  readonly signal: AbortSignal
  /** Called once, with what the checkpoint knows or why there is none to go by. */
  readonly onSynced: (known: KnownKeys) => void
}

/** Keys that the queue had accepted before, or why they are not known. */
export type KnownKeys = Awaited<ReturnType<CheckpointFile['read']>>

/** The start of one cluster: over once every kind was listed and the checkpoint was read. */
export interface InitialSync<Kind extends string> {
  hasSynced(): boolean
  /** Resolves after `onSynced`. */
  readonly synced: Promise<void>
  listed(kind: Kind): void
  /** Notes that the cluster was away for long: its checkpoint counts no more. */
  interrupted(): void
}

export function createInitialSync<Kind extends string>({
  kinds,
  checkpointFile,
  without,
  signal,
  onSynced,
}: InitialSyncOptions<Kind>): InitialSync<Kind> {
  const missing = new Set<Kind | 'checkpoint'>([...kinds, 'checkpoint'])
  const synced = Promise.withResolvers<void>()
  let known: KnownKeys = { problem: without }
  let hadOutage = false

  async function readCheckpoint(): Promise<void> {
    known = (await checkpointFile?.read()) ?? known
    found('checkpoint')
  }

  function found(what: Kind | 'checkpoint'): void {
    if (!missing.delete(what) || missing.size > 0 || signal.aborted) return
    onSynced(hadOutage ? { problem: 'the cluster could not be reached for a while' } : known)
    synced.resolve()
  }

  void readCheckpoint()
  return {
    hasSynced: () => missing.size === 0,
    synced: synced.promise,
    listed: found,
    interrupted() {
      hadOutage = true
    },
  }
}
