import { EvaluationError } from '../errors.ts'
import { isList, isObject, type Json, type JsonList, member } from '../json/index.ts'
import type { Path, Segment } from './path.ts'
import { passes, readingOf, sliceIndexes } from './read.ts'

/** A list that is made by setting one of its elements is filled up with nulls; no longer than this. */
const MAX_LENGTH = 10_000

/**
 * Copies the value with another one at the path; the rest is shared. Missing objects on the way are made; a
 * missing list only as the last step (`$.y[3]` gives `[null, null, null, …]`). A path that selects several
 * places sets them all.
 * @throws EvaluationError where the path leads through something that is neither object nor list, or out of a
 *   list
 */
export function writePath(root: Json | undefined, path: Path, value: Json): Json {
  return writeFrom(root, path, 0, value)
}

function writeFrom(parent: Json | undefined, path: Path, at: number, value: Json): Json {
  const segment = path[at]
  if (segment === undefined) return value
  const below = (child: Json | undefined): Json => writeFrom(child, path, at + 1, value)
  switch (segment.kind) {
    case 'child':
      return writeChild(parent, segment.name, below)
    case 'index':
      return writeIndex(parent, segment.index, at === path.length - 1, below)
    case 'union':
      return segment.members.reduce<Json>(
        (whole, name) =>
          typeof name === 'string' ? writeChild(whole, name, below) : writeIndex(whole, name, false, below),
        parent ?? null,
      )
    default:
      return writeSelected(parent, segment, below)
  }
}

function writeChild(parent: Json | undefined, name: string, below: (child?: Json) => Json): Json {
  const object = parent ?? {}
  if (!isObject(object)) {
    throw new EvaluationError(`cannot set ${JSON.stringify(name)}: what should hold it is not an object`)
  }
  return { ...object, [name]: below(member(object, name)) }
}

function writeIndex(
  parent: Json | undefined,
  index: number,
  isLast: boolean,
  below: (child?: Json) => Json,
): Json {
  if (isList(parent)) {
    const at = index < 0 ? index + parent.length : index
    if (at < 0 || at >= parent.length) {
      throw new EvaluationError(`cannot set index ${index}: the list has ${parent.length} elements`)
    }
    return parent.with(at, below(parent[at]))
  }
  if ((parent ?? null) !== null || !isLast || index < 0 || index >= MAX_LENGTH) {
    throw new EvaluationError(`cannot set index ${index}: there is no list to hold it`)
  }
  return [...new Array<Json>(index).fill(null), below()]
}

function writeSelected(parent: Json | undefined, segment: Segment, below: (child?: Json) => Json): Json {
  if (isList(parent)) {
    const chosen = chosenIndexes(parent, segment)
    return parent.map((child, index) => (chosen.has(index) ? below(child) : child))
  }
  if (isObject(parent) && segment.kind === 'wildcard') {
    return Object.fromEntries(Object.entries(parent).map(([key, child]) => [key, below(child)]))
  }
  throw new EvaluationError(`cannot set what a ${segment.kind} selects: there is no list`)
}

function chosenIndexes(list: JsonList, segment: Segment): Set<number> {
  if (segment.kind === 'slice') return new Set(sliceIndexes(segment, list.length))
  const reading = readingOf(list)
  const indexes = [...list.keys()]
  if (segment.kind !== 'filter') return new Set(indexes)
  return new Set(indexes.filter((index) => passes(segment.test, list[index] ?? null, reading)))
}
