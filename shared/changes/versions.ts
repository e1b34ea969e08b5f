import { compareVersions } from '../endpointslice/index.ts'

/** Reports whether a version is at least as new as another: no, if one is unknown or they have no order. */
export const isAsNew = (version: string | undefined, other: string | undefined): boolean =>
  version !== undefined && other !== undefined && compareVersions(version, other) >= 0

/** Returns the newer of two versions; undefined if one is unknown or they have no order. */
export function newerOf(one: string | undefined, other: string | undefined): string | undefined {
  if (isAsNew(one, other)) return one
  return isAsNew(other, one) ? other : undefined
}
