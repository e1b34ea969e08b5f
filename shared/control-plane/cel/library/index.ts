import type { CelValue } from '../values/value.ts'
import { ADDRESSES } from './addresses.ts'
import { type CallContext, type Library, type Overload, overload, patternCost } from './function.ts'
import { LISTS } from './lists.ts'
import { NAMED_FORMATS } from './named-formats.ts'
import { OPERATORS } from './operators.ts'
import { OPTIONALS } from './optionals.ts'
import { QUANTITIES } from './quantities.ts'
import { CONVERSIONS, TIME_PARTS } from './text/conversions.ts'
import { STRINGS } from './text/strings.ts'
import { URLS } from './urls.ts'
import { VERSIONS } from './versions.ts'

function findAll([text, pattern, count = -1n]: readonly CelValue[], context: CallContext): CelValue {
  const limit = (count as bigint) < 0n ? Infinity : Number(count as bigint)
  return context.find(text as string, pattern as string, limit)
}

/** Kubernetes' functions on regular expressions. */
const PATTERNS: Library = {
  find: [
    overload(
      'string.(string) -> string',
      ([text, pattern], context) => context.find(text as string, pattern as string, 1)[0] ?? '',
      patternCost,
    ),
  ],
  findAll: [
    overload('string.(string) -> list<string>', findAll, patternCost),
    overload('string.(string, int) -> list<string>', findAll, patternCost),
  ],
}

export {
  type CallContext,
  type Implementation,
  type Library,
  type Overload,
  overload,
  traversal,
} from './function.ts'
export { indexedDynamically, indexedOptional, lookUp, shown } from './operators.ts'
export { countClauses, refusalOf, replaceClauses, type Verb } from './text/format-clauses.ts'

/** Functions that every expression of Kubernetes can call, as of 1.36. */
export const KUBERNETES_LIBRARY: ReadonlyMap<string, readonly Overload[]> = joinLibraries([
  OPERATORS,
  CONVERSIONS,
  TIME_PARTS,
  STRINGS,
  LISTS,
  OPTIONALS,
  PATTERNS,
  URLS,
  QUANTITIES,
  ADDRESSES,
  VERSIONS,
  NAMED_FORMATS,
])

/** Joins libraries to one table of functions. A function of several libraries has the overloads of all. */
export function joinLibraries(libraries: readonly Library[]): Map<string, readonly Overload[]> {
  const joined = new Map<string, readonly Overload[]>()
  for (const library of libraries) {
    for (const [name, overloads] of Object.entries(library))
      joined.set(name, [...(joined.get(name) ?? []), ...overloads])
  }
  return joined
}
