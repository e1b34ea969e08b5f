import type { EndpointSlice, Service } from '../../endpointslice/index.ts'
import type { ApiClient } from '../../kubernetes/index.ts'
import type { KeyMessage } from '../../queue/index.ts'
import type { Settings } from '../../settings/index.ts'
import { type Guards, handoverOf, mayBeMistaken } from '../guards/index.ts'
import { readSlices } from '../read-state.ts'
import { isEmpty, NOTHING_WRITTEN } from '../slice-changes.ts'
import type { Purpose, SyncResult } from '../sync-result.ts'
import { versionOf } from '../verify-after-write.ts'
import type { PlanWriter } from '../write/index.ts'
import type { Reporter } from './reporter.ts'

/** Takes away slices of a Service that is not managed. */
export interface UnmanagedSync {
  /** Gives up the slices that we made for a Service that is not ours any more. */
  giveUp(service: Service, slices: readonly EndpointSlice[], purpose: Purpose): Promise<SyncResult>
  /** Deletes the slices of a Service that is gone or not ours any more. */
  remove(
    slices: readonly EndpointSlice[],
    options: { readonly purpose: Purpose; readonly service?: Service },
  ): Promise<SyncResult>
}

export interface UnmanagedSyncOptions {
  readonly client: ApiClient
  readonly key: KeyMessage
  readonly settings: Pick<Settings, 'mode'>
  readonly guards: Guards
  readonly reporter: Reporter
  readonly writer: PlanWriter
  readonly beforeMore: () => Promise<void>
  readonly signal: AbortSignal
}

export function createUnmanagedSync({
  client,
  key,
  settings,
  guards,
  reporter,
  writer: { write },
  beforeMore,
  signal,
}: UnmanagedSyncOptions): UnmanagedSync {
  let hasWaited = false

  async function giveUp(
    service: Service,
    slices: readonly EndpointSlice[],
    purpose: Purpose,
  ): Promise<SyncResult> {
    if (slices.length === 0) return NOTHING_WRITTEN
    const everybodys = mayBeMistaken({ service, slices, mode: settings.mode })
      ? await readSlices({ client, key, beforeMore, signal })
      : []
    const handover = handoverOf({ service, slices, everybodys, mode: settings.mode }, guards.now())
    if (handover.kind === 'done') return remove(slices, { purpose, service })
    const isNew = !isEmpty(handover.changes)
    if (isNew && !hasWaited && purpose === 'write') {
      hasWaited = true
      return { ...NOTHING_WRITTEN, isTakenOver: true }
    }
    const basis = { kind: 'ServiceUnmanaged' } as const
    const result = await write(handover.changes, { isSealed: false, purpose, read: slices, basis })
    if (purpose !== 'write' || result.conflict !== undefined) return result
    const guarded = await reporter.handoverHeld(service, { since: handover.since, slices })
    return { ...result, guarded, inputs: { service: versionOf(service), pods: new Map() } }
  }

  async function remove(
    slices: readonly EndpointSlice[],
    { purpose, service }: { readonly purpose: Purpose; readonly service?: Service },
  ): Promise<SyncResult> {
    const changes = { create: [], update: [], delete: [...slices] }
    const basis = { kind: service === undefined ? 'ServiceDeleted' : 'ServiceUnmanaged' } as const
    const result = await write(changes, { isSealed: false, purpose, read: slices, basis })
    return { ...result, inputs: { service: versionOf(service), pods: new Map() } }
  }

  return { giveUp, remove }
}
