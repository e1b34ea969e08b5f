import type { KindName } from '../../../shared/changes/index.ts'
import type { CheckpointFile } from './checkpoint.ts'

interface InitialSyncOptions {
  /** Each is listed once. */
  readonly kinds: readonly KindName[]
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
export function createInitialSync({ kinds, checkpointFile, without, signal, onSynced }: InitialSyncOptions) {
  const missing = new Set<KindName | 'checkpoint'>([...kinds, 'checkpoint'])
  const synced = Promise.withResolvers<void>()
  let known: KnownKeys = { problem: without }
  let hadOutage = false

  async function readCheckpoint(): Promise<void> {
    known = (await checkpointFile?.read()) ?? known
    found('checkpoint')
  }

  function found(what: KindName | 'checkpoint'): void {
    if (!missing.delete(what) || missing.size > 0 || signal.aborted) return
    onSynced(hadOutage ? { problem: 'the cluster could not be reached for a while' } : known)
    synced.resolve()
  }

  void readCheckpoint()
  return {
    hasSynced: (): boolean => missing.size === 0,
    /** Resolves after `onSynced`. */
    synced: synced.promise,
    listed: found,
    /** Notes that the cluster was away for long: its checkpoint counts no more. */
    interrupted(): void {
      hadOutage = true
    },
  }
}
