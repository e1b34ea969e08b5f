import pLimit from 'p-limit'
import {
  type ApiClient,
  ConflictError,
  ENDPOINT_SELECTORS,
  ENDPOINT_SLICES,
  isAbsentObject,
} from '../../../shared/kubernetes/index.ts'
import { errorMessage } from '../../../shared/values/index.ts'
import type { FoundSlice } from './find-slices.ts'

interface RemovedSlices {
  /** Number of removed slices, with those that were gone already. */
  readonly removed: number
  /** Slices that were written since they were found; they are as they were. */
  readonly changed: number
}

/** Enough to be quick, and no burden for a server. */
const DELETES_AT_ONCE = 8

/** Some slices could not be deleted; the others were. */
export class OffboardError extends AggregateError {
  override readonly name = 'OffboardError'
}

/**
 * Deletes slices and projections, each only if it is still as it was found. Without the seal that marks a
 * deletion of ours: a relay that still runs shall notice, so that it shows.
 * @throws OffboardError when deletes failed for other reasons than a change
 */
export async function removeSlices(
  client: ApiClient,
  slices: readonly FoundSlice[],
  onProgress?: (done: number) => void,
): Promise<RemovedSlices> {
  const limit = pLimit(DELETES_AT_ONCE)
  const errors: unknown[] = []
  let removed = 0
  let changed = 0
  const remove = async (slice: FoundSlice): Promise<void> => {
    try {
      await removeSlice(client, slice)
      removed++
    } catch (error) {
      if (isAbsentObject(error, slice.name)) removed++
      else if (error instanceof ConflictError) changed++
      else errors.push(error)
    }
    onProgress?.(removed + changed + errors.length)
  }
  await Promise.all(slices.map((slice) => limit(() => remove(slice))))
  const [first] = errors
  if (first !== undefined) {
    const reason = errorMessage(first)
    throw new OffboardError(
      errors,
      `failed to delete ${errors.length} of ${slices.length} objects of cluster ${client.cluster}, the others are gone: ${reason}`,
    )
  }
  return { removed, changed }
}

const removeSlice = (
  client: ApiClient,
  { namespace, name, uid, resourceVersion, isProjection }: FoundSlice,
): Promise<void> =>
  client.delete(
    isProjection ? ENDPOINT_SELECTORS : ENDPOINT_SLICES,
    { namespace, name },
    { preconditions: { uid, resourceVersion } },
  )
