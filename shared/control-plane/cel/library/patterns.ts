import type { CelValue } from '../values/index.ts'
import { type CallContext, type Library, overload, patternCost } from './function.ts'

function findAll([text, pattern, count = -1n]: readonly CelValue[], context: CallContext): CelValue {
  const limit = (count as bigint) < 0n ? Infinity : Number(count as bigint)
  return context.find(text as string, pattern as string, limit)
}

/** Kubernetes' functions on regular expressions. */
export const PATTERNS: Library = {
  find: [
    overload(
      'string.(string) -> string',
      ([text, pattern], context) => context.find(text as string, pattern as string, 1)[0] ?? '',
      patternCost,
    ),
  ],
  findAll: [
    overload('string.(string) -> list<string>', findAll, patternCost),
    overload('string.(string, int) -> list<string>', findAll, patternCost),
  ],
}
