import type { GroupVersions } from '../../apiserver/http/index.ts'
import { compareVersions } from '../../apiserver/registry/index.ts'
import { type GroupVersion, nameOf, type Priorities } from '../api-service.ts'

/** A group-version with what its APIService says of its place. */
export type Ranked = GroupVersion & Priorities

/**
 * Groups in the order of discovery, each with its versions in theirs: those of a higher priority first; where
 * these are the same, groups by the names of their APIServices, and versions as Kubernetes orders them (`v2`,
 * `v1`, `v1beta1`).
 */
export function inOrder(all: readonly Ranked[]): GroupVersions[] {
  const byPriority = all.toSorted(
    (a, b) => b.groupPriorityMinimum - a.groupPriorityMinimum || (nameOf(a) < nameOf(b) ? -1 : 1),
  )
  return [...Map.groupBy(byPriority, ({ group }) => group)].map(([group, versions]) => ({
    group,
    versions: versions
      .toSorted((a, b) => b.versionPriority - a.versionPriority || compareVersions(a.version, b.version))
      .map(({ version }) => version),
  }))
}
