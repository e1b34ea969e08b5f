import { expect, it } from 'vitest'
import table from './kubernetes.json' with { type: 'json' }
import { type FieldType, structOf } from './table.ts'

function namesIn(type: FieldType): string[] {
  if (type.kind === 'scalar') return []
  return type.kind === 'struct' ? [type.name] : namesIn(type.element)
}

it('has every struct that a field of another one names', () => {
  const named = Object.keys(table).flatMap((name) =>
    (structOf(name)?.fields ?? []).flatMap(({ type }) => namesIn(type)),
  )
  expect(named.length).toBeGreaterThan(0)
  expect(named.filter((name) => structOf(name) === undefined)).toEqual([])
})
