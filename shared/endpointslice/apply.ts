import { InvalidOptionError } from './errors.ts'
import type { SlicePlan } from './slice-plan.ts'
import type { AnyEndpointSlice, EndpointSlice } from './types.ts'

/**
 * Writes slices to one API server. A refusal is an error with the HTTP status in a numeric `code`, the
 * Status' `reason`, and the `status` itself where there is one.
 */
export interface SliceClient<Slice = EndpointSlice> {
  create(slice: Slice): Promise<Slice>
  /** Updates a slice; it must be refused with 409 unless the slice still has this resourceVersion. */
  update(slice: Slice): Promise<Slice>
  /** Deletes a slice; it must be refused with 409 unless the slice still has this uid and resourceVersion. */
  delete(slice: Slice): Promise<void>
}

export interface ApplyOptions {
  /** Requests that may be under way at once. Default 4, minimum 1. */
  readonly concurrency?: number
}

export type SliceOperation = 'create' | 'update' | 'delete'

export interface ApplyFailure {
  readonly operation: SliceOperation
  /** `namespace/name` of the slice. */
  readonly slice: string
  readonly error: unknown
}

/** The plan is outdated: someone else wrote meanwhile. Read and plan again. */
export type ApplyConflict = ApplyFailure

export interface ApplyResult<Slice = EndpointSlice> {
  /** Created slices as the API server answered them. */
  readonly created: Slice[]
  readonly updated: Slice[]
  /** Deleted slices as they were read, with those that were gone already. */
  readonly deleted: Slice[]
  /** The first conflict; nothing more was written after it. */
  readonly conflict?: ApplyConflict
  /** Operations that failed for another reason; the rest of the plan was tried all the same. */
  readonly failures: ApplyFailure[]
}

/**
 * Writes a plan: creates, then updates, then deletes, so that no endpoint is missing in between. A create
 * that is refused since the namespace is going or gone ends it quietly: its slices go with it.
 * @throws InvalidOptionError; what the client throws is in the result
 * @example
 * ```ts
 * import type { SliceClient } from '@sliceflow/endpointslice'
 *
 * const service = {
 *   metadata: { name: 'web', namespace: 'shop', uid: 'u1' },
 *   spec: { clusterIP: '10.96.0.7' },
 * }
 * const client: SliceClient = {
 *   create: async (slice) => slice,
 *   update: async (slice) => slice,
 *   delete: async () => {},
 * }
 * const { created, failures } = await apply(client, plan({ service, pods: [], nodes: [], slices: [] }))
 * created.length // => 1
 * failures // => []
 * ```
 */
export async function apply<Slice extends AnyEndpointSlice = EndpointSlice>(
  client: SliceClient<Slice>,
  plan: Pick<SlicePlan<Slice>, 'create' | 'update' | 'delete'>,
  { concurrency = 4 }: ApplyOptions = {},
): Promise<ApplyResult<Slice>> {
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new InvalidOptionError('concurrency', 'an integer from 1', concurrency)
  }
  const run = new ApplyRun<Slice>()
  await run.each('create', plan.create, concurrency, async (slice) => {
    run.created.push(await client.create(slice))
  })
  await run.each('update', plan.update, concurrency, async (slice) => {
    run.updated.push(await client.update(slice))
  })
  await run.each('delete', plan.delete, concurrency, async (slice) => {
    await client.delete(slice)
    run.deleted.push(slice)
  })
  return run.result()
}

/** Meaning of a refusal. */
type Outcome = 'done' | 'conflict' | 'namespaceGone' | 'failed'

/** One application of one plan. */
class ApplyRun<Slice extends AnyEndpointSlice> {
  readonly created: Slice[] = []
  readonly updated: Slice[] = []
  readonly deleted: Slice[] = []
  readonly #failures: ApplyFailure[] = []
  #conflict: ApplyConflict | undefined
  #namespaceGone = false

  /** Writes the slices with a number of requests at once, until there is a reason to stop. */
  async each(
    operation: SliceOperation,
    slices: readonly Slice[],
    concurrency: number,
    write: (slice: Slice) => Promise<void>,
  ): Promise<void> {
    const queue = slices.values()
    const work = async (): Promise<void> => {
      for (const slice of queue) {
        if (this.#conflict !== undefined || this.#namespaceGone) return
        await write(slice).catch((error: unknown) => this.#refused(operation, slice, error))
      }
    }
    await Promise.all(Array.from({ length: Math.min(concurrency, slices.length) }, work))
  }

  result(): ApplyResult<Slice> {
    const { created, updated, deleted } = this
    const conflict = this.#conflict === undefined ? undefined : { conflict: this.#conflict }
    return { created, updated, deleted, ...conflict, failures: this.#failures }
  }

  #refused(operation: SliceOperation, slice: Slice, error: unknown): void {
    const { namespace = '', name = '' } = slice.metadata ?? {}
    const failure = { operation, slice: `${namespace}/${name}`, error }
    const outcome = outcomeOf(operation, error)
    if (outcome === 'done') this.deleted.push(slice)
    else if (outcome === 'namespaceGone') this.#namespaceGone = true
    else if (outcome === 'conflict') this.#conflict ??= failure
    else this.#failures.push(failure)
  }
}

interface Refusal {
  readonly code?: unknown
  readonly status?: { readonly details?: { readonly causes?: readonly { readonly reason?: string }[] } }
}

const NOT_FOUND: Readonly<Record<SliceOperation, Outcome>> = {
  create: 'namespaceGone',
  update: 'conflict',
  delete: 'done',
}

/** Classifies an error. Any thrown value may come here, so nothing about it is taken for granted. */
function outcomeOf(operation: SliceOperation, error: unknown): Outcome {
  const refusal = (error ?? {}) as Refusal
  if (refusal.code === 409) return 'conflict'
  if (refusal.code === 404) return NOT_FOUND[operation]
  const causes = refusal.code === 403 ? (refusal.status?.details?.causes ?? []) : []
  const terminating = causes.some(({ reason }) => reason === 'NamespaceTerminating')
  return operation === 'create' && terminating ? 'namespaceGone' : 'failed'
}
