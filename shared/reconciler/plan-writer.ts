import type { SliceClient } from '../endpointslice/index.ts'
import type { KeyMessage } from '../queue/index.ts'
import type { MessageOrigin, Recorder } from '../recording/index.ts'
import type { Log } from '../telemetry/index.ts'
import { createRecordedSliceClient, type WrittenPlan } from './recorded-slice-client.ts'
import { createSealedSliceClient } from './slice-client.ts'
import type { StateCache } from './state-cache.ts'
import type { Purpose, SyncResult } from './sync-result.ts'
import { versionsOf } from './verify-seen.ts'
import { type Changes, isEmpty, NOTHING_WRITTEN, writeSlices } from './write-slices.ts'

export interface PlanWriteOptions extends WrittenPlan {
  /** Whether slices are written with a seal. */
  readonly isSealed: boolean
  readonly purpose?: Purpose
}

/** Writes the plans of one key. */
export interface PlanWriter {
  write(changes: Changes, options: PlanWriteOptions): Promise<SyncResult>
  /** Names that were refused as taken though no slice of this Service has them: somebody else's. */
  readonly takenNames: Set<string>
}

export interface PlanWriterOptions {
  readonly key: KeyMessage
  readonly slices: SliceClient
  readonly kept: StateCache
  readonly recorder: Recorder | undefined
  readonly message: MessageOrigin | undefined
  readonly logger: Log
}

export function createPlanWriter({
  key,
  slices: plain,
  kept,
  recorder,
  message,
  logger,
}: PlanWriterOptions): PlanWriter {
  const takenNames = new Set<string>()

  async function write(changes: Changes, written: PlanWriteOptions): Promise<SyncResult> {
    const { isSealed, purpose = 'write', read } = written
    if (purpose !== 'write')
      return isEmpty(changes) ? NOTHING_WRITTEN : { ...NOTHING_WRITTEN, outdated: versionsOf(read) }
    const recorded =
      recorder && createRecordedSliceClient(plain, { ...written, recorder, key, message, changes })
    const slices = isSealed ? createSealedSliceClient(recorded ?? plain) : (recorded ?? plain)
    const result = await writeSlices(changes, { slices, key, logger })
    const { conflict } = result
    if (conflict !== undefined) kept.forget(key)
    if (conflict?.operation === 'create') takenNames.add(conflict.slice.slice(key.namespace.length + 1))
    return result
  }

  return { write, takenNames }
}
