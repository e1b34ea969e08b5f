import { isObject, type JsonValue } from '../../../apimachinery/json/index.ts'
import { definiteType, type MergeType } from '../types/merge-type.ts'

/**
 * Returns the paths of lists and objects in a value that are replaced as a whole, such as `.spec.selector`.
 * Laying the value over another one takes what that has there.
 */
export function atomicPlaces(value: JsonValue, declared: MergeType, path = ''): string[] {
  const type = definiteType(declared, value)
  if (type.kind === 'list' && Array.isArray(value)) {
    const own = type.relation === 'atomic' ? [path] : []
    return [...own, ...value.flatMap((item, index) => atomicPlaces(item, type.element, `${path}[${index}]`))]
  }
  if (type.kind !== 'map' || !isObject(value)) return []
  const own = type.atomic ? [path] : []
  const below = Object.entries(value).flatMap(([name, member]) => {
    const known = type.member(name)
    return known && member !== undefined ? atomicPlaces(member, known, `${path}.${name}`) : []
  })
  return [...own, ...below]
}
