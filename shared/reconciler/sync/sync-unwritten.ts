import { type InvalidSelection, isOurs, type PausedSelection } from '../../changes/index.ts'
import type { EndpointSlice, Service } from '../../endpointslice/index.ts'
import { NOTHING_WRITTEN } from '../slice-changes.ts'
import type { Purpose, SyncResult } from '../sync-result.ts'
import type { Reporter } from './reporter.ts'

/** A Service whose slices with our managed-by value stay as they are. */
export interface Unwritten {
  readonly service: Service
  readonly selection: PausedSelection | InvalidSelection
  readonly slices: readonly EndpointSlice[]
}

/** Writes nothing, and reports why. */
export async function syncUnwritten(
  { service, selection, slices }: Unwritten,
  { reporter, purpose }: { readonly reporter: Reporter; readonly purpose: Purpose },
): Promise<SyncResult> {
  if (selection.kind === 'invalid') {
    await reporter.invalid(service, selection)
    return NOTHING_WRITTEN
  }
  // One that is not ours, and has no slices of ours, has nothing to pause.
  const isConcerned = selection.of.kind !== 'unmanaged' || slices.some(isOurs)
  if (purpose === 'compare' || !isConcerned) return NOTHING_WRITTEN
  return { ...NOTHING_WRITTEN, guarded: await reporter.paused(service, selection) }
}
