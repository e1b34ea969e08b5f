import type { ApplyConflict } from '../../endpointslice/index.ts'
import { ConflictError } from '../../kubernetes/index.ts'

/** Another writer changed a slice after it was read, or created one of the same name. */
export class SliceConflictError extends Error {
  override readonly name = 'SliceConflictError'
  /** `cluster/slice`, where the name is another owner's. */
  readonly taken: string | undefined

  constructor(cluster: string, { operation, slice }: ApplyConflict) {
    super(`slice ${slice} of cluster ${cluster} was changed by another writer meanwhile`)
    this.taken = operation === 'create' ? `${cluster}/${slice.split('/').at(-1)}` : undefined
  }
}

/** Reports whether another writer changed an object meanwhile, so that it is worth reading again. */
export const isConflict = (error: unknown): boolean =>
  error instanceof ConflictError || error instanceof SliceConflictError
