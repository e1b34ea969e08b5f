import { quoted } from '../../../../kubernetes/index.ts'
import { CelError } from '../../errors.ts'
import { bounded } from './bounded-text.ts'

export type Verb = 's' | 'd' | 'f' | 'e' | 'b' | 'o' | 'x' | 'X'

/** One `%.2f` of a text for `format`. */
interface Clause {
  readonly verb: Verb
  /** Digits after the point; undefined where the clause does not say. */
  readonly precision: number | undefined
  /** Index of the argument that it shows. */
  readonly index: number
}

const HEX = 'only integers, byte buffers, and strings can be formatted as hex'
const REFUSALS: Readonly<Record<Verb, string>> = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  d: 'decimal clause can only be used on integers',
  f: 'fixed-point clause can only be used on doubles',
  e: 'scientific clause can only be used on doubles',
  b: 'only integers and bools can be formatted as binary',
  o: 'octal clause can only be used on integers',
  x: HEX,
  X: HEX,
}

/** Makes the error of a clause that cannot show a value of a type. */
export const refusalOf = (verb: Verb, typeName: string): string =>
  `error during formatting: ${REFUSALS[verb]}, was given ${typeName}`

/** Returns the text with `write`'s result for each clause. Throws CelError without clause or argument. */
export function replaceClauses(text: string, count: number, write: (clause: Clause) => string): string {
  let made = ''
  let index = 0
  for (const [part] of text.matchAll(/%%|%(?:\.\d*)?[\s\S]?|[^%]+/g)) {
    if (!part.startsWith('%')) made += part
    else if (part === '%%') made += '%'
    else {
      if (index >= count) throw new CelError(`index ${index} out of range`)
      if (part === '%') throw new CelError('unexpected end of string')
      made += write({ ...readClause(part.slice(1)), index })
      index++
    }
    bounded(made)
  }
  return made
}

/** Counts the arguments that the clauses of a text show. */
export function countClauses(text: string): number {
  return [...text.matchAll(/%[\s\S]?/g)].filter(([part]) => part !== '%%').length
}

function readClause(text: string): Omit<Clause, 'index'> {
  const [, digits, verb = ''] = /^(?:\.(\d*))?([\s\S]?)$/.exec(text) ?? []
  const wrong = (why: string) => new CelError(`could not parse formatting clause: ${why}`)
  const precision = digits === undefined ? undefined : Number(digits)
  if (digits !== undefined && verb === '') {
    throw wrong('error while parsing precision: could not find end of precision specifier')
  }
  if (digits === '' || (precision !== undefined && precision >= 2 ** 63)) {
    const why = digits === '' ? 'invalid syntax' : 'value out of range'
    throw wrong(
      `error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing ${quoted(digits ?? '')}: ${why}`,
    )
  }
  if (!isVerb(verb)) throw wrong(`unrecognized formatting clause "${firstByteOf(verb)}"`)
  return { verb, precision }
}

/** Returns the first byte of a character. Go reads clauses byte by byte. */
const firstByteOf = (character: string): string => String.fromCharCode(Buffer.from(character)[0] ?? 0)

const isVerb = (text: string): text is Verb => Object.hasOwn(REFUSALS, text)
