import {
  type CallEstimate,
  declaredRange,
  type Estimate,
  literalInt,
  type Part,
  PER_CHARACTER,
  PER_PATTERN_CHARACTER,
  sizeOf,
} from './call.ts'
import { ITEMS } from './declared-size.ts'
import { exactly, LARGEST, NOTHING, plus, type Range, scaled, times, UNKNOWN } from './range.ts'

/** Estimates going through the receiver, or the first argument, which yields a text of the same size. */
export const ofTarget: Estimate = ({ target }) => target && sameSize(sizeOf(target))
export const ofArgument: Estimate = ({ args: [text] }) => text && sameSize(sizeOf(text))

function sameSize(size: Range): CallEstimate {
  return { cost: scaled(size, PER_CHARACTER), size }
}

/** Estimates going through the first argument, this many times. */
export const reading =
  (often = 1): Estimate =>
  ({ args: [text] }) =>
    text && { cost: scaled(sizeOf(text), often * PER_CHARACTER) }

/** Estimates a search for a regular expression, which yields at most every character on its own. */
export const finding: Estimate = ({ target, args: [pattern] }) => {
  if (!target || !pattern) return undefined
  const size = sizeOf(target)
  return { cost: matching(size, sizeOf(pattern)), size: { least: 0n, most: size.most } }
}

/** Estimates a match. An empty text counts as one character, as the pattern is read anyway. */
export function matching(text: Range, pattern: Range): Range {
  return times(scaled(plus(text, exactly(1)), PER_CHARACTER), scaled(pattern, PER_PATTERN_CHARACTER))
}

export const replacing: Estimate = ({ target, args: [replaced, by] }) => {
  if (!target || !replaced || !by) return undefined
  const text = sizeOf(target)
  const [from, to] = [sizeOf(replaced), sizeOf(by)]
  const longest = replacements(text.most, from.least, to.most <= from.least)
  const shortest = replacements(text.least, from.most, from.most <= to.least)
  const count = { least: shortest.count, most: longest.count }
  const kept = { least: shortest.kept, most: longest.kept }
  return { cost: scaled(text, 2 * PER_CHARACTER), size: plus(times(count, to), kept) }
}

/** Returns how often a text is replaced in, with empty texts between characters, and how much stays. */
function replacements(length: bigint, replaced: bigint, isKept: boolean): { count: bigint; kept: bigint } {
  if (replaced === 0n) return { count: length < LARGEST ? length + 1n : length, kept: length }
  if (isKept) return { count: 0n, kept: length }
  return { count: BigInt(Math.ceil(Number(length) / Number(replaced))), kept: 0n }
}

export const splitting: Estimate = ({ target, args: [, limit] }) => {
  if (!target) return undefined
  const size = sizeOf(target)
  const most = limit && literalInt(limit)
  return {
    cost: scaled(size, 2 * PER_CHARACTER),
    size: { least: 0n, most: most === undefined ? size.most : BigInt.asUintN(64, most) },
  }
}

export const joining: Estimate = ({ target, args: [separator], declared }) => {
  if (!target) return undefined
  const list = sizeOf(target)
  const element = elementOf(target)
  const texts = element ? times(list, declaredRange(declared, element.path) ?? UNKNOWN) : NOTHING
  const less = (count: bigint): bigint => (count > 0n ? count - 1n : 0n)
  const gaps = { least: less(list.least), most: less(list.most) }
  const size = separator ? plus(texts, times(sizeOf(separator), gaps)) : texts
  return { cost: scaled(size, PER_CHARACTER), size }
}

/** Estimates reading a list's elements once, and each character of texts; searching texts costs alike. */
export const searching: Estimate = ({ target, declared }) => {
  if (!target) return undefined
  const size = sizeOf(target)
  const element = elementOf(target)
  if (!element) return { cost: scaled(size, PER_CHARACTER) }
  const { type, path } = element
  const isText = type.kind === 'primitive' && (type.name === 'string' || type.name === 'bytes')
  const characters = isText ? scaled(declaredRange(declared, path) ?? UNKNOWN, PER_CHARACTER) : NOTHING
  return { cost: times(size, plus(exactly(1), characters)) }
}

function elementOf({ type, path }: Part): Pick<Part, 'type' | 'path'> | undefined {
  const element = firstParameter(type)
  return element && { type: element, path: path.length === 0 ? [] : [...path, ITEMS] }
}

function firstParameter(type: Part['type']): Part['type'] | undefined {
  if (type.kind === 'list') return type.element
  if (type.kind === 'map') return type.key
  return type.kind === 'opaque' ? type.params[0] : undefined
}
