import { type InvalidSelection, isOurs, type PausedSelection } from '../../changes/index.ts'
import type { EndpointSlice, Service } from '../../endpointslice/index.ts'
import { handoverOf, type LeftBehind, mayBeMistaken } from '../guards/handover.ts'
import { readSlices } from '../read-state.ts'
import { isEmpty, NOTHING_WRITTEN } from '../slice-changes.ts'
import type { Purpose, SyncResult } from '../sync-result.ts'
import { versionOf } from '../verify-after-write.ts'
import type { KeySync } from './key-sync.ts'

/** Slices of a Service that is gone, or that is not ours. */
export interface Given {
  /** Absent: it is gone. */
  readonly service?: Service
  readonly slices: readonly EndpointSlice[]
  readonly purpose: Purpose
}

/** Gives up the slices that we made for a Service that is not ours any more. */
export async function giveUpSlices(
  sync: KeySync,
  { service, slices, purpose }: Required<Given>,
): Promise<SyncResult> {
  if (slices.length === 0) return NOTHING_WRITTEN
  const { mode } = sync.settings
  const everybodys = mayBeMistaken({ service, slices, mode })
    ? await readSlices({ ...sync, client: sync.home.client })
    : []
  return leaveSlices(sync, { service, slices, everybodys, mode, purpose })
}

/** Deletes what we made and others publish, once they publish all of it. */
export async function leaveSlices(
  sync: KeySync,
  { purpose, ...left }: LeftBehind & Pick<Given, 'purpose'>,
): Promise<SyncResult> {
  const { service, slices } = left
  if (slices.length === 0) return NOTHING_WRITTEN
  const handover = handoverOf(left, sync.guards.now())
  if (handover.kind === 'done') return removeSlices(sync, { service, slices, purpose })
  const isNew = !isEmpty(handover.changes)
  if (isNew && !sync.hasWaited && purpose === 'write') {
    sync.hasWaited = true
    return { ...NOTHING_WRITTEN, isTakenOver: true }
  }
  const basis = { kind: 'ServiceUnmanaged' } as const
  const written = { isSealed: false, purpose, read: slices, basis }
  const result = await sync.writer.write(handover.changes, written)
  if (purpose !== 'write' || result.conflict !== undefined) return result
  const guarded = await sync.reporter.handoverHeld(service, { since: handover.since, slices })
  return { ...result, guarded, inputs: { service: versionOf(service), pods: new Map() } }
}

/** Deletes the slices of a Service that is gone or not ours any more. */
export async function removeSlices(
  { writer }: KeySync,
  { service, slices, purpose }: Given,
): Promise<SyncResult> {
  const changes = { create: [], update: [], delete: [...slices] }
  const basis = { kind: service === undefined ? 'ServiceDeleted' : 'ServiceUnmanaged' } as const
  const result = await writer.write(changes, { isSealed: false, purpose, read: slices, basis })
  return { ...result, inputs: { service: versionOf(service), pods: new Map() } }
}

/** Writes nothing for a Service whose slices with our managed-by value stay as they are, and reports why. */
export async function syncUnwritten(
  { reporter }: KeySync,
  selection: PausedSelection | InvalidSelection,
  { service, slices, purpose }: Required<Given>,
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
