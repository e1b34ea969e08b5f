/** Any JSON value. A bigint is an integer of 64 bits that no number holds for sure (`parseJson`). */
export type JsonValue = string | number | bigint | boolean | null | JsonValue[] | JsonObject
export interface JsonObject {
  [member: string]: JsonValue | undefined
}

/** No integer of fewer digits is beyond what JavaScript's numbers hold exactly. */
const DIGITS = 16
const MANY_DIGITS = /\d{16}/
const INTEGER = /^[+-]?\d+$/

/** JSON.rawJSON, which TypeScript's libraries do not declare yet: what stands in JSON as the text given. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): object }

/** Reports whether to check a text's integers, by samples: of sixteen digits in a row it sees one. */
export function mayLoseDigits(text: string): boolean {
  for (let at = DIGITS - 1; at < text.length; at += DIGITS) {
    const code = text.charCodeAt(at)
    if (code >= 0x30 && code <= 0x39 && MANY_DIGITS.test(text.slice(at - DIGITS + 1, at + DIGITS)))
      return true
  }
  return false
}

/**
 * Reads JSON as Go's untyped values have it (sigs.k8s.io/json): an integer of up to 64 bits is exact. One
 * that no number holds for sure is a bigint, and a bigint is always such a one. What is larger, or has a
 * point or an exponent, is a number. Throws SyntaxError.
 *
 * @typeParam T what a text that the server itself wrote is known to be
 */
export function parseJson<T extends JsonValue = JsonValue>(text: string): T {
  return mayLoseDigits(text) ? JSON.parse(text, exactly) : JSON.parse(text)
}

function exactly(_key: string, value: JsonValue, context?: { readonly source?: string }): JsonValue {
  return typeof value === 'number' && context?.source !== undefined ? numberOf(context.source) : value
}

/** What a number beyond float64 has: a long exponent at the end of a value, or many digits. */
const MAY_OVERFLOW = /\d[eE]\+?\d{3,}(?:[\s,}\]]|$)|(?<!\d)\d{200}/

/**
 * Returns Go's refusal of a JSON text for its first number that does not fit into a float64; undefined if all
 * do. JSON.parse makes Infinity of it, and JSON.stringify null.
 */
export function overflowError(text: string): string | undefined {
  if (!MAY_OVERFLOW.test(text)) return undefined
  let overflowing: string | undefined
  JSON.parse(text, (_key, value: JsonValue, context?: { readonly source?: string }) => {
    if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)
      overflowing ??= context?.source
    return value
  })
  return overflowing && `json: cannot unmarshal number ${overflowing} into Go value of type float64`
}

/** Returns the number of a text in JSON or YAML, by the rules of `parseJson`. */
export function numberOf(source: string): number | bigint {
  const near = Number(source)
  if (Number.isSafeInteger(near) || !INTEGER.test(source)) return near
  const exact = BigInt(source.replace(/^\+/, ''))
  return BigInt.asIntN(64, exact) === exact ? exact : near
}

/** Returns an integer of any size by the rules of `parseJson`. */
export const integerOf = (integer: bigint): number | bigint => numberOf(String(integer))

/** Writes values that `parseJson` made, or that hold such, as JSON.stringify does. */
export function jsonText(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, null, indent)
  } catch (error) {
    // A bigint made it fail: searching for one first would cost all objects that have none.
    if (error instanceof TypeError) return JSON.stringify(value, raw, indent)
    throw error
  }
}

/** Writes a bigint in digits. Circular values fail again, with their own error. */
const raw = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? rawJSON(String(value)) : value
