import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createEngine, type Json, loadSpec, SpecError } from './index.ts'

/** The first line is the object, the others are expressions with what Δ-controller makes of them. */
interface Vector {
  readonly expr: Json
  readonly value?: Json
  readonly error?: string
  readonly panic?: string
}
const [first = '', ...rest] = readFileSync(new URL('testdata/expr.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
const { object } = JSON.parse(first) as { object: Json }
const vectors = rest.map((line) => JSON.parse(line) as Vector)

/** Wanted values where Δ-controller has a defect. */
const WANTED: ReadonlyMap<string, Json> = new Map<string, Json>([
  // null is null
  ['null', null],
  ['[1,null]', [1, null]],
  // A list whose first element is a list is still a list of lists.
  ['[[1,2],[3]]', [[1, 2], [3]]],
  ['[[]]', [[]]],
  ['{"@eq":["$.spec.strs","$.spec.strs"]}', true],
  ['{"@len":["$.spec.list","$.spec.strs"]}', 2],
  ['{"@in":[[1,2],"$.spec.nested"]}', true],
  // @none is the opposite of @any.
  ['{"@none":[false,"$.spec.empty"]}', true],
  // Numbers are written as JSON writes them.
  ['{"@string":1.5}', '1.5'],
])

/** Evaluates an expression: returns the value, or `error` if loading the spec or taking the object fails. */
function evaluate(expr: Json): { value: Json | undefined } | 'error' {
  const pipeline = [{ '@project': { metadata: { name: 'n' }, r: expr } }]
  const source = { apiGroup: '', kind: 'Obj' }
  const controllers = [{ name: 'c', sources: [source], pipeline, target: { kind: 'V' } }]
  try {
    const engine = createEngine(loadSpec(JSON.stringify({ controllers })))
    const { view, problems } = engine.apply({ type: 'Added', object })
    return problems.length > 0 ? 'error' : { value: view[0]?.object.r }
  } catch (error) {
    if (error instanceof SpecError) return 'error'
    throw error
  }
}

describe('an expression', () => {
  it.each(vectors.map((vector) => ({ text: JSON.stringify(vector.expr), vector })))(
    'evaluates $text as Δ-controller does, but for its defects',
    ({ text, vector: { expr, value = null, error, panic } }) => {
      const fails = (error ?? panic) !== undefined && !WANTED.has(text)
      expect(evaluate(expr)).toEqual(fails ? 'error' : { value: WANTED.has(text) ? WANTED.get(text) : value })
    },
  )

  it('has a wanted value only where Δ-controller gives another', () => {
    const others = vectors.filter(({ expr, value }) => {
      const wanted = WANTED.get(JSON.stringify(expr))
      return wanted !== undefined && JSON.stringify(wanted) !== JSON.stringify(value)
    })
    expect(others).toHaveLength(WANTED.size)
  })
})
