import { canonicalText, compareText, type Json } from '../json/index.ts'
import { type Path, writePath } from '../jsonpath/index.ts'
import type { Member, Row } from './row.ts'

/** Settings of a compiled `@gather`. */
export interface CompiledGather {
  readonly index: number
  readonly path: Path
  readonly distinct: boolean
}

/**
 * Makes the row of a group: its member with the lowest id, with the sorted values of all members at the path.
 * @param members at least one, in any order
 */
export function gathered({ path, distinct }: CompiledGather, group: string, members: readonly Member[]): Row {
  const ordered = members.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const values = ordered.map(({ item }) => item).sort(compareValues)
  const list = distinct ? values.filter((value, index) => !isRepeated(values, value, index)) : values
  const [first] = ordered
  return {
    id: group,
    value: writePath(first?.value, path, list),
    origins: ordered.flatMap(({ origins }) => origins),
  }
}

const isRepeated = (values: readonly Json[], value: Json, index: number): boolean =>
  index > 0 && compareValues(values[index - 1] ?? null, value) === 0

/** Numbers by size, texts by their bytes, all else by its JSON text. */
function compareValues(a: Json, b: Json): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b)
  return compareText(canonicalText(a), canonicalText(b))
}
