import { entryOf, type LocatedMap, type Problems } from '../source/index.ts'
import { textField } from './fields.ts'
import { type ResourceSpec, VIEW_GROUP_SUFFIX, VIEW_VERSION, viewGroup } from './spec.ts'

/** Fields that {@link readResource} reads. */
export const RESOURCE_FIELDS = ['kind', 'apiGroup', 'version'] as const

/**
 * Reads the kind that a source or target names. Without `apiGroup` it is a view of this operator; `""` is the
 * core group. A group of another operator's views is read as any other group of the API.
 */
export function readResource(
  map: LocatedMap,
  operator: string,
  problems: Problems,
): ResourceSpec | undefined {
  const kind = textField(map, 'kind', problems)
  if (kind === undefined || kind === '') {
    if (entryOf(map, 'kind') === undefined || kind === '') problems.add(map.place, 'expected a kind')
    return undefined
  }
  const group = textField(map, 'apiGroup', problems)
  if (group === undefined || group === viewGroup(operator)) {
    return { group: viewGroup(operator), kind, version: VIEW_VERSION, isView: true }
  }
  const version = group.endsWith(VIEW_GROUP_SUFFIX) ? VIEW_VERSION : textField(map, 'version', problems)
  return { group, kind, version: version === '' ? undefined : version, isView: false }
}
