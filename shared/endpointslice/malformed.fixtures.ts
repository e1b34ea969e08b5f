import fc from 'fast-check'
import { anyCharacter } from '../../test/support/any-character.ts'

/** Values that a broken or hostile server may put in any place. */
const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1e308, '', 'x', '../../etc', [], [null], {}, [[]], [{}], [7]),
  fc.constantFrom<unknown>(
    { toString: 1 },
    { toString: 1, valueOf: 2 },
    { __proto__: null },
    JSON.parse('{"__proto__":{"name":"x"}}'),
  ),
  fc.constant('x'.repeat(10_000)),
  fc.string({ unit: anyCharacter, maxLength: 8 }),
  fc.jsonValue({ maxDepth: 2 }),
)

function pathsOf(value: unknown, path: readonly string[] = []): string[][] {
  const isInner = typeof value === 'object' && value !== null
  const inner = isInner ? Object.entries(value).flatMap(([key, field]) => pathsOf(field, [...path, key])) : []
  return [[...path], ...inner]
}

function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by
  if (Array.isArray(value))
    return value.map((item, at) => (String(at) === key ? replaced(item, rest, by) : item))
  const record = value as Record<string, unknown>
  return { ...record, [key]: replaced(record[key], rest, by) }
}

/** Returns the object with something else in one place of it: one of these values, or by default junk. */
export const mutated = <T>(object: T, values: fc.Arbitrary<unknown> = junk): fc.Arbitrary<T> =>
  fc.tuple(fc.constantFrom(...pathsOf(object)), values).map(([path, by]) => replaced(object, path, by) as T)
