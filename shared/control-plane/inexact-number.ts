import { ApiError } from './errors/index.ts'
import { mayLoseDigits } from './exact-numbers.ts'
import type { JsonValue } from './json.ts'

const INTEGER = /^[+-]?\d+$/
const LARGEST = 2n ** 63n

/** A 400 for who has sent it. */
export class InexactNumberError extends ApiError {
  constructor(integer: bigint) {
    super(
      400,
      'BadRequest',
      `the integer ${integer} cannot be kept exactly: write integers beyond ${Number.MAX_SAFE_INTEGER} as strings`,
    )
  }
}

/** Reads JSON that somebody sends. Throws SyntaxError, and InexactNumberError for an integer that would be stored as another one. */
export function parseJsonExactly(text: string): JsonValue {
  return mayLoseDigits(text) ? JSON.parse(text, checked) : JSON.parse(text)
}

function checked(_key: string, value: JsonValue, context?: { readonly source?: string }): JsonValue {
  checkDigits(value, context?.source)
  return value
}

/**
 * Throws InexactNumberError where a number is not what its text says: one that is stored wrong would be worse than one that is refused. Integers of more than
 * 64 bits, which kube-apiserver rounds too, and fractions pass.
 */
export function checkDigits(value: unknown, source: string | undefined): void {
  if (typeof value !== 'number' || source === undefined || Number.isSafeInteger(value)) return
  if (!INTEGER.test(source)) return
  const meant = BigInt(source.replace(/^\+/, ''))
  if (meant >= LARGEST || meant < -LARGEST || meant === BigInt(value)) return
  throw new InexactNumberError(meant)
}
