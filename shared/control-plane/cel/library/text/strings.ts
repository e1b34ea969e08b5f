import { GO_ESCAPES } from '../../../../kubernetes/index.ts'
import { CelError } from '../../errors.ts'
import { CelMap, type CelValue, isList, sizeOf } from '../../values/value.ts'
import {
  type Library,
  overload,
  patternCost,
  productOfTraversals,
  resultTraversal,
  traversal,
} from '../function.ts'
import { bounded, LONGEST_TEXT, tooLong } from './bounded-text.ts'
import { formatText } from './format-text.ts'

const charactersOf = (value: CelValue | undefined): string[] => [...(value as string)]

function charAt([text, at]: readonly CelValue[]): string {
  const characters = charactersOf(text)
  if ((at as bigint) < 0n || (at as bigint) > BigInt(characters.length))
    throw new CelError(`index out of range: ${at}`)
  return characters[Number(at)] ?? ''
}

function substring([text, from = 0n, to]: readonly CelValue[]): string {
  const characters = charactersOf(text)
  const start = Number(from as bigint)
  const end = to === undefined ? characters.length : Number(to as bigint)
  if (to !== undefined && start > end)
    throw new CelError(`invalid substring range. start: ${start}, end: ${end}`)
  if (start < 0 || start > characters.length) throw new CelError(`index out of range: ${start}`)
  if (end < 0 || end > characters.length) throw new CelError(`index out of range: ${end}`)
  return characters.slice(start, end).join('')
}

function indexOf([text, part, from = 0n]: readonly CelValue[]): bigint {
  const characters = charactersOf(text)
  const start = Number(from as bigint)
  if (part === '') return from as bigint
  if (start < 0) throw new CelError(`index out of range: ${start}`)
  return positionOf(characters.slice(start).join(''), (rest) => rest.indexOf(part as string), start)
}

function lastIndexOf([text, part, until]: readonly CelValue[]): bigint {
  const characters = charactersOf(text)
  const wanted = charactersOf(part)
  const last = until === undefined ? characters.length : Number(until as bigint)
  if (wanted.length === 0) return BigInt(last)
  if (last < 0) throw new CelError(`index out of range: ${last}`)
  if (until !== undefined && last >= characters.length) return -1n
  const within = characters.slice(0, Math.min(characters.length, last + wanted.length)).join('')
  return positionOf(within, (rest) => rest.lastIndexOf(part as string), 0)
}

function positionOf(text: string, find: (text: string) => number, offset: number): bigint {
  const units = find(text)
  return units < 0 ? -1n : BigInt([...text.slice(0, units)].length + offset)
}

function replace([text, from, to, count]: readonly CelValue[]): string {
  const limit = count === undefined || (count as bigint) < 0n ? Infinity : Number(count as bigint)
  const parts = from === '' ? ['', ...charactersOf(text), ''] : (text as string).split(from as string)
  const replaced = Math.min(parts.length - 1, limit)
  if ((text as string).length + replaced * (to as string).length > LONGEST_TEXT) throw tooLong()
  const head = parts.slice(0, replaced).map((part) => `${part}${to}`)
  return bounded(head.join('') + parts.slice(replaced).join(from as string))
}

function split([text, separator, count]: readonly CelValue[]): CelValue {
  const limit = count === undefined ? -1 : Number(count as bigint)
  if (limit === 0) return []
  const parts = separator === '' ? charactersOf(text) : (text as string).split(separator as string)
  if (limit < 0 || parts.length <= limit) return parts
  return [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator as string)]
}

function join([list, separator = '']: readonly CelValue[]): string {
  const items = isList(list ?? null) ? (list as readonly CelValue[]) : []
  const texts = items.map((item) => {
    if (typeof item !== 'string') throw new CelError('no such overload')
    return item
  })
  return bounded(texts.join(separator as string))
}

/** Go's white space: U+0085 is one, and U+FEFF is none. */
const SPACE_AROUND = /^[\t-\r\x85\p{Z}]+|(?<![\t-\r\x85\p{Z}])[\t-\r\x85\p{Z}]+$/gu

const quote = (text: string): string =>
  `"${[...text].map((character) => GO_ESCAPES[character] ?? character).join('')}"`

const ascii = (text: string, from: RegExp, change: (character: string) => string): string =>
  text.replace(from, change)

/** Functions on texts: those of CEL and those of cel-go's extension, in the version that Kubernetes has. */
export const STRINGS: Library = {
  size: [
    overload('(string) -> int', ([a = null]) => BigInt(sizeOf(a))),
    overload('string.() -> int', ([a = null]) => BigInt(sizeOf(a))),
    overload('(bytes) -> int', ([a = null]) => BigInt(sizeOf(a))),
    overload('bytes.() -> int', ([a = null]) => BigInt(sizeOf(a))),
    overload('(list<A>) -> int', ([a = null]) => BigInt(sizeOf(a))),
    overload('list<A>.() -> int', ([a = null]) => BigInt(sizeOf(a))),
    overload('(map<A, B>) -> int', ([a]) => BigInt(a instanceof CelMap ? a.size : 0)),
    overload('map<A, B>.() -> int', ([a]) => BigInt(a instanceof CelMap ? a.size : 0)),
  ],
  contains: [
    overload('string.(string) -> bool', ([a, b]) => (a as string).includes(b as string), productOfTraversals),
  ],
  startsWith: [
    overload('string.(string) -> bool', ([a, b]) => (a as string).startsWith(b as string), traversal()),
  ],
  endsWith: [
    overload('string.(string) -> bool', ([a, b]) => (a as string).endsWith(b as string), traversal()),
  ],
  matches: [
    overload(
      'string.(string) -> bool',
      ([a, b], context) => context.matches(a as string, b as string),
      patternCost,
    ),
    overload(
      '(string, string) -> bool',
      ([a, b], context) => context.matches(a as string, b as string),
      patternCost,
    ),
  ],
  charAt: [overload('string.(int) -> string', charAt)],
  lowerAscii: [
    overload(
      'string.() -> string',
      ([a]) => ascii(a as string, /[A-Z]/g, (c) => c.toLowerCase()),
      traversal(),
    ),
  ],
  upperAscii: [
    overload(
      'string.() -> string',
      ([a]) => ascii(a as string, /[a-z]/g, (c) => c.toUpperCase()),
      traversal(),
    ),
  ],
  trim: [overload('string.() -> string', ([a]) => (a as string).replace(SPACE_AROUND, ''), traversal())],
  substring: [
    overload('string.(int) -> string', substring, traversal()),
    overload('string.(int, int) -> string', substring, traversal()),
  ],
  indexOf: [
    overload('string.(string) -> int', indexOf, floorTraversal),
    overload('string.(string, int) -> int', indexOf, floorTraversal),
  ],
  lastIndexOf: [
    overload('string.(string) -> int', lastIndexOf, floorTraversal),
    overload('string.(string, int) -> int', lastIndexOf, floorTraversal),
  ],
  replace: [
    overload('string.(string, string) -> string', replace, traversal(2)),
    overload('string.(string, string, int) -> string', replace, traversal(2)),
  ],
  split: [
    overload('string.(string) -> list<string>', split, traversal(2)),
    overload('string.(string, int) -> list<string>', split, traversal(2)),
  ],
  join: [
    overload('list<string>.() -> string', join, resultTraversal),
    overload('list<string>.(string) -> string', join, resultTraversal),
  ],
  format: [
    overload(
      'string.(list<dyn>) -> string',
      ([a, args = null], { visits }) => {
        visits.walk(args)
        return formatText(a as string, args as readonly CelValue[])
      },
      traversal(),
    ),
  ],
  'strings.quote': [overload('(string) -> string', ([a]) => quote(a as string), traversal())],
}

function floorTraversal([text = null]: readonly CelValue[]): number {
  return Math.floor(Buffer.byteLength(text as string) / 10)
}
