import { createRequire } from 'node:module'
import type { RE2JS } from '@bufbuild/re2'
import { messageOf } from '../../apimachinery/errors/message.ts'
import { findMatch } from './pattern-search.ts'

const load = createRequire(import.meta.url)
/** Loads the library with the first pattern: a server without any starts without it. */
const re2 = (): typeof import('@bufbuild/re2') => load('@bufbuild/re2')

/** Longest pattern, in UTF-16 units. kube-apiserver has no such limit; no pattern of an API comes near it. */
const LONGEST = 4096
/** All counted repetitions `{n,m}` of a pattern together: each one is as many copies of what it repeats. */
const MOST_REPEATS = 5000
/** Characters times states that one validation's matches may need: at worst about two seconds. */
const STEPS = 10_000_000

/** A pattern that cannot be used; the message is Go's where the pattern is malformed. */
export class PatternError extends Error {
  override readonly name = 'PatternError'
}

/** Steps that the matches of one validation have left. */
export class MatchBudget {
  #left = STEPS

  /** Takes steps. Returns false when there are more than are left. */
  take(steps: number): boolean {
    this.#left -= steps
    return this.#left >= 0
  }
}

/** A regular expression of RE2's syntax, which is Go's, matched in linear time whatever the text is. */
export class Pattern {
  readonly source: string
  readonly #expression: RE2JS
  readonly #states: number

  constructor(source: string) {
    const repeats = countedRepeats(source)
    if (source.length > LONGEST) throw new PatternError(`pattern is longer than ${LONGEST} characters`)
    if (repeats > MOST_REPEATS) throw new PatternError(`pattern repeats more than ${MOST_REPEATS} times`)
    this.source = source
    this.#states = source.length + repeats
    this.#expression = compile(source)
  }

  /** Reports whether the text has a match. If the budget is spent, it counts as none. */
  test(text: string, budget: MatchBudget): boolean {
    return budget.take(text.length * this.#states) && this.#expression.test(text)
  }

  /** Returns the first `limit` matches that do not overlap; none if the budget does not suffice. */
  find(text: string, limit: number, budget: MatchBudget): string[] {
    const characters = [...text]
    const { prog } = this.#expression.re2()
    const matches: string[] = []
    let at = 0
    let last = -1
    while (matches.length < limit && at <= characters.length) {
      if (!budget.take((characters.length - at) * this.#states + 1)) return []
      const found = findMatch(prog, characters, at)
      if (!found) return matches
      const [start, end] = found
      // As Go does it: an empty match right behind the last one is none.
      if (end > start || start !== last) matches.push(characters.slice(start, end).join(''))
      at = end > start ? end : end + 1
      last = end
    }
    return matches
  }
}

/** Throws PatternError where the pattern cannot be used. */
export function patternOf(source: string): Pattern {
  return new Pattern(source)
}

function compile(source: string): RE2JS {
  try {
    return re2().RE2JS.compile(source)
  } catch (error) {
    throw new PatternError(messageOf(error), { cause: error })
  }
}

function countedRepeats(source: string): number {
  let sum = 0
  for (const [, from = '0', to = ''] of source.matchAll(/\{(\d+)(?:,(\d*))?\}/g))
    sum += Math.max(Number(from), Number(to))
  return sum
}
