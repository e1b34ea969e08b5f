import { difference, union } from './fields/field-set.ts'
import type { Manager } from './managers.ts'
import { ownable, reachable, type WriteScope } from './scope.ts'
import type { VersionedComparison, WriteVersion } from './versions.ts'

/** Takes from managers what a write changes or removes; drops those of versions that no longer exist. */
export function withoutLost(
  managers: readonly Manager[],
  comparison: VersionedComparison,
  scope: WriteScope & Pick<WriteVersion, 'apiVersion'>,
): Manager[] {
  return managers.flatMap((manager) => {
    const found = comparison.in(manager.apiVersion)
    if (!found) return []
    const isOwn = manager.apiVersion === scope.apiVersion
    const lost = ownable(reachable(union(found.changed, found.removed), scope, isOwn))
    return [{ ...manager, fields: difference(manager.fields, lost) }]
  })
}
