import { ADDRESSES } from './addresses.ts'
import type { Library, Overload } from './function.ts'
import { LISTS } from './lists.ts'
import { NAMED_FORMATS } from './named-formats.ts'
import { OPERATORS } from './operators.ts'
import { OPTIONALS } from './optionals.ts'
import { PATTERNS } from './patterns.ts'
import { QUANTITIES } from './quantities.ts'
import { CONVERSIONS, STRINGS, TIME_PARTS } from './text/index.ts'
import { URLS } from './urls.ts'
import { VERSIONS } from './versions.ts'

export {
  type CallContext,
  type Implementation,
  type Library,
  type Overload,
  overload,
  traversal,
} from './function.ts'
export { indexedDynamically, indexedOptional, lookUp, shown } from './operators.ts'
export { countClauses, refusalOf, replaceClauses, type Verb } from './text/index.ts'

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
