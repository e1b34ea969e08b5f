import type { JsonValue } from './exact-numbers.ts'
import { overflowError, parseJson } from './exact-numbers.ts'
import { goJsonError } from './go-json-error.ts'

/** Reads a client's JSON; throws what `fail` makes of Go's words for no JSON, or numbers beyond float64. */
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
