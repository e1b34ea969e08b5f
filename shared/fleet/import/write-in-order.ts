import type { ApplyResult, EndpointSlice } from '../../endpointslice/index.ts'
import type { Changes } from '../../reconciler/index.ts'

/** Reports whether a slice loses ready endpoints that others replace: it is written after them. */
export type IsLast = (slice: EndpointSlice) => boolean

/** Sorts the writes of each kind, so that a part of them begins with those that come first. */
export const inOrder = (changes: Changes, isLast: IsLast): Changes => {
  const sorted = (slices: readonly EndpointSlice[]): EndpointSlice[] =>
    slices.toSorted((a, b) => Number(isLast(a)) - Number(isLast(b)))
  return {
    create: sorted(changes.create),
    update: sorted(changes.update),
    delete: sorted(changes.delete),
  }
}

/**
 * Writes slices that lose endpoints once all others are written. Whatever ends it in between, the endpoints
 * that replace them are there.
 * @throws whatever `write` throws; then nothing more is written
 */
export async function writeInOrder(
  changes: Changes,
  isLast: IsLast,
  write: (part: Changes) => Promise<ApplyResult>,
): Promise<ApplyResult> {
  const part = (isOfPart: IsLast): Changes => ({
    create: changes.create.filter(isOfPart),
    update: changes.update.filter(isOfPart),
    delete: changes.delete.filter(isOfPart),
  })
  const first = await write(part((slice) => !isLast(slice)))
  const second = await write(part(isLast))
  return {
    created: [...first.created, ...second.created],
    updated: [...first.updated, ...second.updated],
    deleted: [...first.deleted, ...second.deleted],
    failures: [...first.failures, ...second.failures],
  }
}
