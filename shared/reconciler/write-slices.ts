import { type ApplyResult, apply, type SliceClient, type SlicePlan } from '../endpointslice/index.ts'
import type { KeyMessage } from '../queue/index.ts'
import type { Log } from '../telemetry/index.ts'

/** The part of a plan that is written. */
export type Changes = Pick<SlicePlan, 'create' | 'update' | 'delete'>

export const NOTHING_WRITTEN: ApplyResult = { created: [], updated: [], deleted: [], failures: [] }

export const isEmpty = ({ create, update, delete: remove }: Changes): boolean =>
  [create, update, remove].every(({ length }) => length === 0)

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

export interface WriteOptions {
  readonly slices: SliceClient
  readonly key: KeyMessage
  readonly logger: Log
}

/**
 * Applies changes and tells the log. A conflict is in the result.
 * @throws SliceWriteError when writes failed for other reasons than a conflict
 */
export async function writeSlices(
  changes: Changes,
  { slices, key, logger }: WriteOptions,
): Promise<ApplyResult> {
  if (isEmpty(changes)) return NOTHING_WRITTEN
  const { cluster, namespace, service } = key
  const result = await apply(slices, changes)
  const { created, updated, deleted, conflict, failures } = result
  const counts = { created: created.length, updated: updated.length, deleted: deleted.length }
  const fields = { cluster, namespace, service, ...counts }
  const isWritten = Object.values(counts).some((count) => count > 0)
  if (conflict === undefined) {
    if (isWritten) logger.info(fields, 'wrote slices')
  } else logger.info({ ...fields, conflict: conflict.slice }, 'somebody else wrote meanwhile: reading again')
  if (conflict !== undefined || failures.length === 0) return result
  throw new SliceWriteError(
    `failed to write ${failures.length} slices of Service ${namespace}/${service} of cluster ${cluster}: ${textOf(failures[0]?.error)}`,
    failures.map(({ error }) => error),
  )
}

/**
 * In the refusal of the admission plugin OwnerReferencesPermissionEnforcement, which does not say what is
 * missing.
 */
const OWNER_REFUSED = 'cannot set blockOwnerDeletion'

function textOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.includes(OWNER_REFUSED)
    ? `${text}; allow the verb "update" on the resource "services/finalizers"`
    : text
}
