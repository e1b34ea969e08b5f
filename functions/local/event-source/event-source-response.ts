import * as z from 'zod/mini'
import { safeParse } from '../../../shared/schema/index.ts'

/** An absent or empty list, or no response at all, means that every message succeeded. */
const responseSchema = z.nullish(
  z.object({
    batchItemFailures: z.nullish(z.array(z.object({ itemIdentifier: z.string().check(z.minLength(1)) }))),
  }),
)

/** A response that cannot be trusted; Lambda then takes every message of the batch for failed. */
export class InvalidBatchResponseError extends Error {
  override readonly name = 'InvalidBatchResponseError'
}

/**
 * Returns the ids of the messages that a partial batch response reports as failed, by Lambda's rules for
 * `ReportBatchItemFailures`. Throws {@link InvalidBatchResponseError} for a malformed response, an empty
 * identifier and an identifier that is not in the batch.
 */
export function failedMessageIds(response: unknown, messageIds: ReadonlySet<string>): ReadonlySet<string> {
  const parsed = safeParse(responseSchema, response)
  if (!parsed.success) {
    throw new InvalidBatchResponseError(`failed to read the batch response: ${z.prettifyError(parsed.error)}`)
  }
  const failed = new Set(parsed.data?.batchItemFailures?.map(({ itemIdentifier }) => itemIdentifier))
  const unknown = failed.difference(messageIds)
  if (unknown.size > 0) {
    throw new InvalidBatchResponseError(
      `failed to read the batch response: ${unknown.size} identifiers are of no message of the batch`,
    )
  }
  return failed
}
