import { keyFields, sealedBy } from '../../changes/index.ts'
import {
  type ApplyResult,
  apply,
  type EndpointSlice,
  ownerOfKind,
  type SliceClient,
} from '../../endpointslice/index.ts'
import { type ApiClient, ENDPOINT_SLICES } from '../../kubernetes/index.ts'
import type { KeyMessage } from '../../queue/index.ts'
import type { MessageOrigin, Recorder } from '../../recording/index.ts'
import type { Log } from '../../telemetry/index.ts'
import { errorMessage } from '../../values/index.ts'
import { sealNotes } from '../guards/published/slice-notes.ts'
import { type Changes, isEmpty, NOTHING_WRITTEN } from '../slice-changes.ts'
import type { Purpose, SyncResult } from '../sync-result.ts'
import { versionsOf } from '../verify-after-write.ts'
import { createRecordedSliceClient, type WrittenPlan } from './recorded-slice-client.ts'
import type { StateCache } from './state-cache.ts'

interface PlanWriteOptions extends WrittenPlan {
  readonly isSealed: boolean
  readonly purpose?: Purpose
}

interface PlanWriterOptions {
  readonly key: KeyMessage
  readonly slices: SliceClient
  /** Our name in the seals. */
  readonly writer: string
  readonly cache: StateCache
  readonly recorder: Recorder | undefined
  readonly message: MessageOrigin | undefined
  readonly logger: Log
}

export class PlanWriter {
  /** Names that were refused as taken though no slice of this Service has them: another owner's. */
  readonly takenNames = new Set<string>()
  readonly #options: PlanWriterOptions

  constructor(options: PlanWriterOptions) {
    this.#options = options
  }

  async write(changes: Changes, written: PlanWriteOptions): Promise<SyncResult> {
    const { key, slices: plain, writer, cache, recorder, message, logger } = this.#options
    const { isSealed, purpose = 'write', read } = written
    if (purpose !== 'write')
      return isEmpty(changes) ? NOTHING_WRITTEN : { ...NOTHING_WRITTEN, outdated: versionsOf(read) }
    const recorded =
      recorder && createRecordedSliceClient(plain, { written, recorder, key, message, changes })
    const slices = isSealed ? createSealedSliceClient(recorded ?? plain, writer) : (recorded ?? plain)
    const result = await writeSlices(changes, { slices, key, logger })
    const { conflict } = result
    if (conflict !== undefined) cache.forget(key)
    if (conflict?.operation === 'create') this.takenNames.add(conflict.slice.slice(key.namespace.length + 1))
    return result
  }
}

/** Some slices could not be written, for other reasons than a conflict; the rest of the plan was. */
export class SliceWriteError extends AggregateError {
  override readonly name = 'SliceWriteError'
  /** Whether trying again can help any of them. */
  readonly retryable: boolean

  constructor(message: string, errors: readonly unknown[]) {
    super(errors, message)
    this.retryable = errors.some((error) => (error as { retryable?: unknown } | null)?.retryable !== false)
  }
}

interface WriteOptions {
  readonly slices: SliceClient
  readonly key: KeyMessage
  readonly logger: Log
}

/**
 * Applies changes and logs the result. A conflict is in the result.
 * @throws SliceWriteError when writes failed for other reasons than a conflict
 */
export async function writeSlices(
  changes: Changes,
  { slices, key, logger }: WriteOptions,
): Promise<ApplyResult> {
  if (isEmpty(changes)) return NOTHING_WRITTEN
  const { cluster, namespace, service } = key
  const { kind } = ownerOfKind(key.ownerKind)
  const result = await apply(slices, changes)
  const { created, updated, deleted, conflict, failures } = result
  const counts = { created: created.length, updated: updated.length, deleted: deleted.length }
  const fields = { ...keyFields(key), ...counts }
  if (conflict !== undefined) {
    const message = 'another writer changed a slice meanwhile: reading again'
    logger.info({ ...fields, conflict: conflict.slice }, message)
    return result
  }
  if (Object.values(counts).some((count) => count > 0)) logger.info(fields, 'wrote slices')
  if (failures.length === 0) return result
  throw new SliceWriteError(
    `failed to write ${failures.length} slices of ${kind} ${namespace}/${service} of cluster ${cluster}: ${textOf(failures[0]?.error, kind)}`,
    failures.map(({ error }) => error),
  )
}

/** Text of the admission plugin OwnerReferencesPermissionEnforcement, which does not say what is missing. */
const OWNER_REFUSED = 'cannot set blockOwnerDeletion'

function textOf(error: unknown, kind: string): string {
  const text = errorMessage(error)
  if (!text.includes(OWNER_REFUSED)) return text
  const further = kind === 'Service' ? ', and for slices that mirror Endpoints on "endpoints/finalizers"' : ''
  return `${text}; allow the verb "update" on the resource "${kind.toLowerCase()}s/finalizers"${further}`
}

/**
 * Writes slices as they are, with a seal on notes of the guards: for Services that are gone or not ours,
 * whose slices are not synced again. What was sent need not come back: the answer is asked for the metadata
 * alone.
 */
export function createSliceClient(client: ApiClient, signal: AbortSignal): SliceClient {
  const options = { metadataOnly: true, signal }
  return {
    create: async (slice) => written(slice, await client.create(ENDPOINT_SLICES, sealNotes(slice), options)),
    update: async (slice) => {
      const sent = withoutManagedFields(sealNotes(slice))
      return written(slice, await client.update(ENDPOINT_SLICES, sent, options))
    },
    delete: ({ metadata: { namespace, name = '', uid, resourceVersion } = {} }) =>
      client.delete(
        ENDPOINT_SLICES,
        { namespace, name },
        { preconditions: { uid, resourceVersion }, signal },
      ),
  }
}

const written = (slice: EndpointSlice, { metadata }: Pick<EndpointSlice, 'metadata'>): EndpointSlice =>
  withoutManagedFields({ ...slice, metadata })

/** Removes the managed fields, a tenth of the whole. The API server keeps them if an update has none. */
function withoutManagedFields(slice: EndpointSlice): EndpointSlice {
  const { managedFields: _, ...metadata } = slice.metadata ?? {}
  return { ...slice, metadata }
}

/**
 * Writes by another client with a seal on everything written, by which the relay knows our own writes.
 * @param writer our name, by the settings that decide what we write
 */
export function createSealedSliceClient(slices: SliceClient, writer: string): SliceClient {
  const seal = sealedBy(writer)
  return {
    create: (slice) => slices.create(seal(slice)),
    update: (slice) => slices.update(seal(slice)),
    delete: slices.delete,
  }
}
