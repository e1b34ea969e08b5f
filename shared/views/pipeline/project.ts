import { EvaluationError } from '../errors.ts'
import type { Evaluate, Scope } from '../expressions/index.ts'
import { excerpt, isList, isObject, type Json, type JsonObject, member } from '../json/index.ts'

/** Evaluates every part on its own and merges the results from left to right. */
export function project(parts: readonly Evaluate[], scope: Scope): JsonObject {
  return parts.map((part) => resultOf(part, scope)).reduce(merged)
}

function resultOf(part: Evaluate, scope: Scope): JsonObject {
  const value = part(scope)
  if (isObject(value)) return value
  throw new EvaluationError(`expected a map, found ${excerpt(value)}`)
}

/** Maps are merged, lists put behind each other, everything else is replaced; null replaces nothing. */
function merged(left: JsonObject, right: JsonObject): JsonObject {
  const entries = Object.entries(right).map(([key, value]) => {
    const before = member(left, key)
    return [key, before === undefined ? value : mergedValue(key, before, value)] as const
  })
  return { ...left, ...Object.fromEntries(entries) }
}

function mergedValue(key: string, before: Json, value: Json): Json {
  if (isObject(before) && isObject(value)) return merged(before, value)
  if (isList(before) && isList(value)) return [...before, ...value]
  if (value === null && before !== null) {
    throw new EvaluationError(`cannot merge null into ${JSON.stringify(key)}, which is ${excerpt(before)}`)
  }
  return value
}
