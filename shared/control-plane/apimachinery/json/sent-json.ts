import type { JsonValue } from './exact-numbers.ts'
import { overflowError, parseJson } from './exact-numbers.ts'
import { goJsonError } from './go-json-error.ts'

/**
 * Reads JSON from a client; throws what `fail` makes of Go's words for a text that is none, or for a
 * number that no float64 holds.
 */
export function jsonOrThrow(text: string, fail: (why: string) => Error): JsonValue {
  const value = syntaxOrThrow(text, fail)
  const overflow = overflowError(text)
  if (overflow !== undefined) throw fail(overflow)
  return value
}

/** Parses the same, for those who report such numbers later. */
export function syntaxOrThrow(text: string, fail: (why: string) => Error): JsonValue {
  try {
    return parseJson(text)
  } catch {
    throw fail(goJsonError(text))
  }
}
