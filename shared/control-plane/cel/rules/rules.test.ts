import { expect, it } from 'vitest'
import { readSchema } from '../../apiextensions/structural/schema.ts'
import { RuleCompiler, RuleValidator } from '../index.ts'

it('a rule is not asked again of what stays as it was stored', () => {
  const schema = readSchema({
    type: 'object',
    properties: { count: { type: 'integer' } },
    'x-kubernetes-validations': [{ rule: 'self.count > 5' }],
  })
  const fields = (count: number): string[] =>
    new RuleValidator(schema, new RuleCompiler())
      .validate({ count }, schema, { old: { count: 2 } })
      .map(({ field }) => field)
  expect([fields(2), fields(3)]).toEqual([[], ['<nil>']])
})
