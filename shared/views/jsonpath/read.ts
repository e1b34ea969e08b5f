import { compareText, isList, isObject, type Json, type JsonList, member } from '../json/index.ts'
import { Work } from '../work.ts'
import { passes } from './filter.ts'
import type { Path, Segment } from './path.ts'

/** Values that one path may look at: some 100 ms, and far more than one object of an API server holds. */
const MAX_VISITS = 1_000_000

/** What one reading of a path shares: the root, and how much it may still look at. */
export interface Reading {
  readonly root: Json
  readonly work: Work
}

/** A reading of a path by itself. */
export const readingOf = (root: Json, work = new Work(MAX_VISITS, 'a JSONPath')): Reading => ({ root, work })

/**
 * The first value at the path, undefined if there is none. Lists are followed in order, objects by the order of
 * their members' names.
 * @param work what it is part of; by itself it may look at a million values
 * @throws EvaluationError if it would look at more
 */
export function readPath(path: Path, root: Json, work?: Work): Json | undefined {
  let value: Json | undefined = root
  for (let index = 0; index < path.length && value !== undefined; index++) {
    const segment = path[index]
    if (segment?.kind === 'child') value = isObject(value) ? member(value, segment.name) : undefined
    else if (segment?.kind === 'index') value = isList(value) ? value.at(segment.index) : undefined
    else return firstOf(path.slice(index), value, readingOf(root, work))
  }
  return value
}

/** The first value at the path below this value, within a reading that has begun. */
export function firstOf(path: Path, from: Json, reading: Reading): Json | undefined {
  let found: Json | undefined
  visit(path, from, reading, (value) => {
    found = value
    return true
  })
  return found
}

/** How many values the path finds. */
export function countOf(path: Path, from: Json, reading: Reading): number {
  let count = 0
  visit(path, from, reading, () => {
    count++
    return false
  })
  return count
}

/** Calls `found` with every value at the path until it says that this is enough. */
function visit(path: Path, from: Json, reading: Reading, found: (value: Json) => boolean): boolean {
  reading.work.spend()
  const [segment] = path
  if (segment === undefined) return found(from)
  const rest = path.slice(1)
  if (segment.kind === 'descent') return visitBelow(rest, from, reading, found)
  return selected(segment, from, reading).some((value) => visit(rest, value, reading, found))
}

/** Everything that a segment selects of a value. */
export function selected(segment: Segment, value: Json, reading: Reading): JsonList {
  switch (segment.kind) {
    case 'child':
      return present(isObject(value) ? member(value, segment.name) : undefined)
    case 'index':
      return present(isList(value) ? value.at(segment.index) : undefined)
    case 'wildcard':
      return childrenOf(value, reading)
    case 'slice':
      return isList(value)
        ? sliceIndexes(segment, value.length).flatMap((index) => present(value[index]))
        : []
    case 'union':
      return segment.members.flatMap((name) =>
        selected(
          typeof name === 'string' ? { kind: 'child', name } : { kind: 'index', index: name },
          value,
          reading,
        ),
      )
    case 'filter':
      return childrenOf(value, reading).filter((child) => passes(segment.test, child, reading))
    case 'descent':
      return [value, ...childrenOf(value, reading)]
  }
}

function visitBelow(rest: Path, from: Json, reading: Reading, found: (value: Json) => boolean): boolean {
  if (visit(rest, from, reading, found)) return true
  return childrenOf(from, reading).some((child) => visitBelow(rest, child, reading, found))
}

const present = (value: Json | undefined): JsonList => (value === undefined ? [] : [value])

function childrenOf(value: Json, { work }: Reading): JsonList {
  if (isList(value)) {
    work.spendOn(value.length)
    return value
  }
  if (!isObject(value)) return []
  const entries = Object.entries(value)
  work.spend(entries.length)
  return entries.sort(([a], [b]) => compareText(a, b)).map(([, child]) => child)
}

/** The indexes of `[start:end:step]` in a list of this length, as in Python. */
export function sliceIndexes(
  { start, end, step }: Extract<Segment, { kind: 'slice' }>,
  length: number,
): number[] {
  const clamp = (index: number, low: number, high: number): number =>
    Math.min(Math.max(index < 0 ? index + length : index, low), high)
  const indexes: number[] = []
  if (step > 0) {
    const last = clamp(end ?? length, 0, length)
    for (let index = clamp(start ?? 0, 0, length); index < last; index += step) indexes.push(index)
  } else {
    const last = end === undefined ? -1 : clamp(end, -1, length - 1)
    for (let index = clamp(start ?? length - 1, -1, length - 1); index > last; index += step)
      indexes.push(index)
  }
  return indexes
}
