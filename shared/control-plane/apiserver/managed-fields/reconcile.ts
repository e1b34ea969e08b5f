import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { emptySet, type FieldSet } from './fields/field-set.ts'
import type { Manager } from './managers.ts'
import { type MergeType, memberType } from './types/merge-type.ts'
import { converted, typeIn, type WriteVersion } from './versions.ts'

/**
 * Adapts the managers to the present schema of their version. They own the whole of a list or map that has
 * become atomic if they owned a part of it (structured-merge-diff's ReconcileFieldSetWithSchema). Throws
 * MisfitError if a version's schema does not fit the object.
 */
export function reconciled(managers: readonly Manager[], live: JsonObject, write: WriteVersion): Manager[] {
  return managers.map((manager) => {
    const type = typeIn(manager.apiVersion, write)
    if (!type) return manager
    converted(live, manager.apiVersion, write)
    return { ...manager, fields: asAtomic(manager.fields, type) }
  })
}

function asAtomic(set: FieldSet, type: MergeType | undefined): FieldSet {
  if (set.children.size === 0 || !type || type.kind === 'scalar' || type.kind === 'any') return set
  const isAtomic = type.kind === 'list' ? type.relation === 'atomic' : type.atomic
  if (isAtomic) return { ...emptySet(), member: true }
  const below = (element: string): MergeType | undefined =>
    type.kind === 'list' ? type.element : memberType(type, element.slice(2))
  const children = [...set.children].map(
    ([element, child]) => [element, asAtomic(child, below(element))] as const,
  )
  return { member: set.member, children: new Map(children) }
}
