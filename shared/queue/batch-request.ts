import type { DeleteMessageBatchResult } from '@aws-sdk/client-sqs'
import { type Backoff, backoffDelay, sleepUnlessAborted } from '../kubernetes/index.ts'
import type { Warner } from '../telemetry/index.ts'

/** SQS takes at most 10 entries in a batch request. */
const MAX_ENTRIES = 10
/** Quick enough to ride out a throttled second, slow enough not to hammer a queue that is down. */
const DEFAULT_BACKOFF: Backoff = { baseMs: 100, capMs: 20_000 }

/** An item with its entry id, which is unique within its request. */
export interface BatchEntry<T> {
  readonly id: string
  readonly item: T
}

/** What all of SQS' batch requests answer: an entry that neither list names was not taken. */
export type BatchAnswer = {
  readonly [List in keyof DeleteMessageBatchResult]?: DeleteMessageBatchResult[List]
}

/** Sends one batch request; rejects when it failed as a whole. */
export type BatchRequest<T> = (
  entries: readonly BatchEntry<T>[],
  signal: AbortSignal | undefined,
) => Promise<BatchAnswer>

interface BatchRetryOptions {
  readonly logger: Warner
  readonly signal?: AbortSignal | undefined
  /** Requests for the same item before it is given up; default: until accepted, rejected or aborted. */
  readonly attempts?: number
  readonly backoff?: Backoff | undefined
  /** Called for each request that the queue refused, in part or as a whole. */
  readonly onProblem?: (() => void) | undefined
}

/** An item that SQS will never take: its entry failed by the sender's fault. */
export interface RejectedItem<T> {
  readonly item: T
  /** SQS' error code, `InvalidMessageContents` for example. */
  readonly code: string
  readonly reason: string
}

/** Every item is in exactly one of the three lists. */
export interface BatchOutcome<T> {
  readonly accepted: readonly T[]
  readonly rejected: readonly RejectedItem<T>[]
  /** Items that SQS had not accepted when the signal aborted or the attempts were used up. */
  readonly unsent: readonly T[]
}

/**
 * Sends items in batch requests of 10 and retries those that SQS rejected, with exponential back-off and
 * full jitter, until nothing is left. Never rejects: a request that fails as a whole is retried like its
 * entries. All batches are under way at once; `request` bounds how many requests are.
 */
export async function requestAll<T>(
  items: readonly T[],
  request: BatchRequest<T>,
  options: BatchRetryOptions,
): Promise<BatchOutcome<T>> {
  const batches = items.flatMap((_, index) =>
    index % MAX_ENTRIES === 0 ? [items.slice(index, index + MAX_ENTRIES)] : [],
  )
  return merged(await Promise.all(batches.map((batch) => requestUntilAccepted(batch, request, options))))
}

async function requestUntilAccepted<T>(
  items: readonly T[],
  request: BatchRequest<T>,
  options: BatchRetryOptions,
): Promise<BatchOutcome<T>> {
  const { logger, signal, attempts = Number.POSITIVE_INFINITY, backoff = DEFAULT_BACKOFF } = options
  const accepted: T[] = []
  const rejected: RejectedItem<T>[] = []
  let pending = items
  for (let attempt = 0; pending.length > 0 && attempt < attempts && !signal?.aborted; attempt++) {
    if (attempt > 0 && !(await sleepUnlessAborted(backoffDelay(attempt - 1, backoff), signal))) break
    const result = await requestOnce(pending, request, signal)
    accepted.push(...result.accepted)
    rejected.push(...result.rejected)
    pending = result.unsent
    if (result.problem !== undefined && !signal?.aborted) {
      options.onProblem?.()
      logger.warn(
        { ...result.problem, attempt: attempt + 1, pending: pending.length },
        'the queue rejected entries',
      )
    }
  }
  return { accepted, rejected, unsent: pending }
}

interface SingleOutcome<T> extends BatchOutcome<T> {
  readonly problem: { readonly err: unknown } | { readonly code: string } | undefined
}

async function requestOnce<T>(
  items: readonly T[],
  request: BatchRequest<T>,
  signal: AbortSignal | undefined,
): Promise<SingleOutcome<T>> {
  const entries = items.map((item, index) => ({ id: String(index), item }))
  try {
    const { Successful = [], Failed = [] } = await request(entries, signal)
    const taken = new Set(Successful.map(({ Id }) => Id))
    const failureOf = new Map(Failed.map((failure) => [failure.Id, failure]))
    const accepted: T[] = []
    const rejected: RejectedItem<T>[] = []
    const unsent: T[] = []
    for (const { id, item } of entries) {
      const { SenderFault, Code = '', Message = '' } = failureOf.get(id) ?? {}
      if (taken.has(id)) accepted.push(item)
      else if (SenderFault) rejected.push({ item, code: Code, reason: Message })
      else unsent.push(item)
    }
    if (unsent.length === 0) return { accepted, rejected, unsent, problem: undefined }
    const { Code: code = 'not in the answer' } = Failed.find(({ SenderFault }) => !SenderFault) ?? {}
    return { accepted, rejected, unsent, problem: { code } }
  } catch (err) {
    if (isTooLong(err)) return requestHalves(items, request, signal, err)
    return { accepted: [], rejected: [], unsent: items, problem: { err } }
  }
}

/** By its name: the class would bring the SDK into the constructs. */
const isTooLong = (error: unknown): error is Error =>
  error instanceof Error && error.name === 'BatchRequestTooLong'

/** Requests the halves of what is too large for this server: SQS takes 1 MiB at once, others less. */
async function requestHalves<T>(
  items: readonly T[],
  request: BatchRequest<T>,
  signal: AbortSignal | undefined,
  { name: code, message: reason }: Error,
): Promise<SingleOutcome<T>> {
  const half = Math.ceil(items.length / 2)
  if (half === items.length) {
    const rejected = items.map((item) => ({ item, code, reason }))
    return { accepted: [], rejected, unsent: [], problem: undefined }
  }
  const halves = [items.slice(0, half), items.slice(half)]
  const outcomes = await Promise.all(halves.map((part) => requestOnce(part, request, signal)))
  return { ...merged(outcomes), problem: outcomes.find(({ problem }) => problem)?.problem }
}

const merged = <T>(outcomes: readonly BatchOutcome<T>[]): BatchOutcome<T> => ({
  accepted: outcomes.flatMap(({ accepted }) => accepted),
  rejected: outcomes.flatMap(({ rejected }) => rejected),
  unsent: outcomes.flatMap(({ unsent }) => unsent),
})
