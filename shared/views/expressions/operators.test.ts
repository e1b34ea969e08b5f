import { describe, expect, it } from 'vitest'
import { EvaluationError } from '../errors.ts'
import type { Json } from '../json/index.ts'
import { Problems, readYaml } from '../source/index.ts'
import { compileExpression, parseExpression } from './index.ts'

const ROOT: Json = {
  n: 2,
  list: [3, 1, 2],
  texts: ['b', 'a'],
  nested: [[1], [2, 3]],
  objects: [{ k: 'x' }, { k: 'y' }],
  none: null,
}

function evaluate(expression: Json): Json {
  const problems = new Problems('expression')
  const located = readYaml(JSON.stringify(expression), problems)
  if (located === undefined) throw new Error('nothing to evaluate')
  const parsed = parseExpression(located, problems)
  problems.throwIfAny()
  const environment = { now: () => new Date('2026-03-01T12:34:56.789Z'), random: () => 0.5 }
  return compileExpression(parsed)({ root: ROOT, environment })
}

describe('an operator', () => {
  it.each<[Json, Json]>([
    [{ '@max': '$.list' }, 3],
    [{ '@max': [] }, null],
    [{ '@min': ['2', 10] }, 2],
    [{ '@ceil': 1.2 }, 2],
    [{ '@floor': -1.2 }, -2],
    [{ '@ceil': -0.5 }, 0],
    [{ '@float': '1.5' }, 1.5],
    [{ '@int': '-3' }, -3],
    [{ '@string': 'x' }, 'x'],
    [{ '@concat': ['v', 1.5, '-', -2] }, 'v1.5--2'],
    [{ '@concat': ['$.texts'] }, 'ba'],
    [{ '@sum': ['$.list'] }, 6],
    [{ '@len': ['$.texts'] }, 2],
    [{ '@div': [2, 1] }, 2],
    [{ '@eq': [{ '@div': [2, 1] }, 2] }, true],
    [{ '@range': [3, 3] }, []],
    [{ '@rnd': [10, 20] }, 15],
    [{ '@or': '$.none2' }, 'error'],
    [{ '@and': [] }, true],
    [
      {
        '@switch': [
          [false, 1],
          [true, '$.n'],
          ['never', 2],
        ],
      },
      2,
    ],
    [{ '@cond': [false, 1] }, null],
    [{ '@definedOr': ['$.none', '$.missing'] }, null],
    [{ '@isnil': '$.none' }, true],
    [{ '@in': ['$.none', [null]] }, true],
    [{ '@eq': ['$.none', null] }, false],
    [{ '@map': ['$$[0]', '$.nested'] }, [1, 2]],
    [{ '@map': [{ '@concat': ['$$.k', '$.n'] }, '$.objects'] }, ['x2', 'y2']],
    [{ '@filter': [{ '@any': [{ '@gt': ['$$', 2] }, '$$'] }, '$.nested'] }, [[2, 3]]],
    [{ '@none': [{ '@eq': ['$$.k', 'z'] }, '$.objects'] }, true],
    [{ '@all': [{ '@exists': '$$.k' }, '$.objects'] }, true],
    [{ '@selector': [{ matchExpressions: [{ key: 'n', operator: 'In', values: ['2'] }] }, '$'] }, true],
    [{ '@selector': [{ matchExpressions: [{ key: 'x', operator: 'DoesNotExist' }] }, {}] }, true],
    [{ '@selector': [null, {}] }, false],
    ['@now', '2026-03-01T12:34:56Z'],
    ['', ''],
    [{ '': 1 }, { '': 1 }],
    [
      { 'a.b': 1, '$.c.d': 2, '$.c.e': '$.n' },
      { 'a.b': 1, c: { d: 2, e: 2 } },
    ],
    [
      { a: 1, '$.': '$.objects[0]', k: 'mine' },
      { k: 'mine', a: 1 },
    ],
  ])('makes of %j: %j', (expression, value) => {
    if (value === 'error') expect(() => evaluate(expression)).toThrow(EvaluationError)
    else expect(evaluate(expression)).toEqual(value)
  })

  it.each<[Json, string]>([
    [{ '@div': [1, 0] }, '@div: expected a divisor other than 0'],
    [{ '@rnd': [6, 5] }, '@rnd: expected the first argument to be below the second'],
    [{ '@concat': ['a', null] }, '@concat: expected a text or a number, found null'],
    [{ '@concat': 'text' }, '@concat: expected a list, found "text"'],
    [{ '@sum': '$.missing' }, '@sum: expected a list, found null'],
    [{ '@lt': ['a', 1] }, '@lt: expected a number, found "a"'],
    [{ '@eq': '$.list' }, '@eq: expected a list of 2 arguments, found [3,1,2]'],
    [{ '@mul': [1e308, 10] }, '@mul: the result is not a finite number'],
    [{ '@filter': ['x', [1]] }, '@filter: expected true or false, found "x"'],
    [{ '$.': 5 }, '"$.": expected a map, found 5'],
  ])('refuses %j, and says why', (expression, message) => {
    expect(() => evaluate(expression)).toThrow(new EvaluationError(message))
  })

  it.each<[Json, string]>([
    [null, '3alqt8'],
    [true, 'altm5d'],
    [3, 'e0ohpb'],
    [1.5, '5oo8rp'],
    ['a', '5pgrpu'],
    [[], 'cqwkkt'],
    [{}, '93aocf'],
    [{ a: 2, b: 1 }, '5sybcn'],
    [{ b: 1, a: 2 }, '5sybcn'],
    [{ i: 1 }, '0qp2qd'],
    ['<&>é\u2028', '1n9nlw'],
    [
      {
        type: 'ClusterIP',
        serviceName: 'testsvc',
        port: 80,
        protocol: 'TCP',
        address: '10.244.1.69',
        targetPort: 80,
      },
      'b9p5tj',
    ],
  ])('hashes %j as Δ-controller does', (value, hash) => {
    expect(evaluate({ '@hash': value })).toBe(hash)
  })
})
