import { difference, union } from './fields/field-set.ts'
import type { Manager } from './managers.ts'
import { ownable, reachable, type WriteScope } from './scope.ts'
import type { VersionedComparison } from './versions.ts'

/** The managers without what a write changes or removes; those of versions that are no more are gone. */
export function withoutLost(
  managers: readonly Manager[],
  comparison: VersionedComparison,
  scope: WriteScope,
): Manager[] {
  return managers.flatMap((manager) => {
    const found = comparison.in(manager.apiVersion)
    if (!found) return []
    const lost = ownable(reachable(union(found.changed, found.removed), scope))
    return [{ ...manager, fields: difference(manager.fields, lost) }]
  })
}
