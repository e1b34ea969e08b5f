import { integerOf, numberOf } from '../../../apimachinery/json/exact-numbers.ts'

type YamlScalar = null | boolean | number | bigint | string

const WORDS: ReadonlyMap<string, null | boolean> = new Map([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map(
    (word) => [word, true] as const,
  ),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map(
    (word) => [word, false] as const,
  ),
])
const NO_NUMBER = /^(?:([-+]?)\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/
const INTEGER = /^([-+]?)(0[xX][\da-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9]\d*)$/
const FRACTION = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/
/** Beginnings of texts that Go tries to read as a number. One that begins with an underscore is no number. */
const BEGINNING = /^[-+.\d]/

/**
 * Returns the value of an unquoted text by the rules of YAML 1.1 as go.yaml.in/yaml/v2 has them: `yes` is
 * true and `0644` is octal; a number beyond float64 is a text. Numbers are what their texts in JSON are, as
 * Go's libraries make JSON of YAML before they read it. Throws an Error with Go's text for infinities and
 * NaN, which JSON does not have.
 */
export function scalarOf(text: string): YamlScalar {
  const word = WORDS.get(text)
  if (word !== undefined) return word
  if (!BEGINNING.test(text)) return text
  const none = NO_NUMBER.exec(text)
  if (none)
    throw new Error(`json: unsupported value: ${none[1] === undefined ? 'NaN' : `${none[1] || '+'}Inf`}`)
  const plain = text.startsWith('.') ? text : text.replaceAll('_', '')
  const number = integerIn(plain) ?? fractionIn(plain)
  return number === undefined || !isHeld(number) ? text : number
}

const isHeld = (number: number | bigint): boolean => typeof number === 'bigint' || Number.isFinite(number)

function integerIn(text: string): number | bigint | undefined {
  const [, sign, digits] = INTEGER.exec(text) ?? []
  if (digits === undefined) return undefined
  const value = BigInt(/^0\d/.test(digits) ? `0o${digits.slice(1)}` : digits)
  return integerOf(sign === '-' ? -value : value)
}

const fractionIn = (text: string): number | bigint | undefined =>
  FRACTION.test(text) ? numberOf(String(Number(text))) : undefined

/** Returns the value of a text with a tag, such as `!!int`. Throws Go's text if it is of another type. */
export function taggedScalar(text: string, tag: string): YamlScalar {
  const value = scalarOf(text)
  const type = typeOf(value, text)
  if (type === tag || (type === 'int' && tag === 'float')) return value
  throw new Error(`yaml: cannot decode !!${type} \`${text}\` as a !!${tag}`)
}

function typeOf(value: YamlScalar, text: string): string {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'string') return 'str'
  return integerIn(text.replaceAll('_', '')) === undefined ? 'float' : 'int'
}
