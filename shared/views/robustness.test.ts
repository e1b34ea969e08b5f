import { describe, expect, it } from 'vitest'
import { createEngine, type Engine, type Json, loadSpec, type ObjectEvent } from './index.ts'

const engineOf = (pipeline: Json): Engine => {
  const sources = [{ apiGroup: '', kind: 'Obj' }]
  return createEngine(
    loadSpec(JSON.stringify({ controllers: [{ name: 'c', sources, pipeline, target: { kind: 'V' } }] })),
  )
}
const NAME = { name: '$.metadata.name', namespace: '$.metadata.namespace' }
const copying = (expression: Json): Engine => engineOf([{ '@project': { metadata: NAME, r: expression } }])
const obj = (more: object, name = 'a'): ObjectEvent => ({
  type: 'Added',
  object: { apiVersion: 'v1', kind: 'Obj', metadata: { name, namespace: 'ns' }, ...more },
})
const resultOf = (expression: Json, more: object): Json | undefined => {
  const { view, problems } = copying(expression).apply(obj(more))
  expect(problems).toEqual([])
  return view[0]?.object.r
}

describe('an object that is bad', () => {
  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'object: it is not a JSON object'],
    ['a text', 'x', 'object: it is not a JSON object'],
    ['a list', [], 'object: it is not a JSON object'],
    ['no kind', { metadata: { name: 'a' } }, 'the object has no kind'],
    ['no metadata', { kind: 'Obj' }, 'the object has no metadata'],
    ['metadata that is a text', { kind: 'Obj', metadata: 'x' }, 'metadata: expected a map, found "x"'],
    ['no name', { kind: 'Obj', metadata: {} }, 'the object has no metadata.name'],
    [
      'a number as name',
      { kind: 'Obj', metadata: { name: 5 } },
      'metadata.name: expected a text that is not empty and holds no control characters, found 5',
    ],
    [
      'a function',
      { kind: 'Obj', metadata: { name: 'a' }, f: () => 1 },
      'object: it holds a function, which is not JSON',
    ],
    [
      'a Date',
      { kind: 'Obj', metadata: { name: 'a' }, at: new Date() },
      'object: it holds an object that is not JSON, such as a Date',
    ],
  ])('is reported: %s', (_, object, message) => {
    const { problems, view } = copying(1).apply({ type: 'Added', object })
    expect({ problems: problems.map((problem) => problem.message), view }).toEqual({
      problems: [message],
      view: [],
    })
  })

  it('is reported when it is nested too deep', () => {
    const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`) as unknown
    const { problems } = copying(1).apply(obj({ deep }))
    expect(problems[0]?.message).toBe('object: it is nested more than 500 levels deep')
  })

  it('is reported with its key and the step that failed, and delays nothing else', () => {
    const engine = engineOf([{ '@unwind': '$.list' }, { '@project': { metadata: NAME, v: '$.list' } }])
    const { view, problems } = engine.apply(obj({ list: 'oops' }, 'bad'), obj({ list: [1] }, 'good'))
    expect(problems).toEqual([
      {
        controller: 'c',
        step: '@unwind (step 0)',
        objects: ['Obj ns/bad'],
        message: 'expected a list, found "oops"',
      },
    ])
    expect(view.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual(['Added good-0'])
  })

  it('takes its views with it, and brings them back when it is mended', () => {
    const engine = engineOf([{ '@unwind': '$.list' }, { '@project': { metadata: NAME, v: '$.list' } }])
    const typesAfter = (list: Json): string[] => engine.apply(obj({ list })).view.map(({ type }) => type)
    expect([typesAfter([1, 2]), typesAfter('oops'), typesAfter([1, 2])]).toEqual([
      ['Added', 'Added'],
      ['Deleted', 'Deleted'],
      ['Added', 'Added'],
    ])
  })

  it('may leave out members by setting them to undefined', () => {
    expect(resultOf({ '@isnil': '$.x' }, { x: undefined })).toBe(true)
  })
})

describe('data', () => {
  it('stays data where it looks like a path or an operator', () => {
    const spec = {
      dollar: '$',
      path: '$.spec.secret',
      now: '@now',
      call: { '@concat': ['a', 'b'] },
      secret: 's',
    }
    expect(resultOf('$.spec.path', { spec })).toBe('$.spec.secret')
    expect(resultOf({ '@string': { '@concat': ['$.spec.dollar', '.spec', '.secret'] } }, { spec })).toBe(
      '$.spec.secret',
    )
    expect(resultOf({ '@map': ['$$', ['$.spec.path', '$.spec.now']] }, { spec })).toEqual([
      '$.spec.secret',
      '@now',
    ])
    expect(resultOf('$.spec.call', { spec })).toEqual({ '@concat': ['a', 'b'] })
    expect(resultOf({ '@map': ['$$', '$.l'] }, { l: [null, '$$'] })).toEqual([null, '$$'])
  })

  it('may have members named as JavaScript names its own', () => {
    const spec = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": 2, "toString": 3}') as Json
    const copied = resultOf({ '$.': '$.spec', __proto__: 4 }, { spec })
    expect(JSON.stringify(resultOf('$.spec', { spec }))).toBe(JSON.stringify(spec))
    expect(Object.getPrototypeOf(copied)).toBe(Object.prototype)
    expect(JSON.parse(JSON.stringify(resultOf('$.spec.__proto__', { spec })))).toEqual({ polluted: 1 })
    expect(resultOf('$.spec.hasOwnProperty', { spec })).toBeNull()
    expect(resultOf({ '@selector': [{ constructor: 'x' }, '$.metadata.labels'] }, {})).toBe(false)
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  it('may set such members, too', () => {
    const engine = copying(1)
    const project = JSON.parse('{"metadata": {"name": "n"}, "__proto__": 1, "$.a.__proto__.b": 2}') as Json
    const { view } = engineOf([{ '@project': project }]).apply(obj({}))
    expect(JSON.stringify(view[0]?.object)).toContain('"__proto__":1,"a":{"__proto__":{"b":2}}')
    expect(engine.views()).toEqual([])
  })

  it('may be large', () => {
    const long = '€'.repeat(1_000_000)
    const many = Array.from({ length: 10_000 }, (_, index) => index)
    expect(resultOf({ '@concat': ['$.long', '!'] }, { long })).toBe(`${long}!`)
    expect(resultOf({ '@hash': '$.long' }, { long })).toMatch(/^[0-9a-z]{6}$/)
    expect(resultOf({ '@len': { '@filter': [{ '@gte': ['$$', 5000] }, '$.many'] } }, { many })).toBe(5000)
    expect(engineOf([{ '@unwind': '$.many' }]).apply(obj({ many })).view).toHaveLength(10_000)
    const gathers: Json = [
      { '@unwind': '$.many' },
      { '@gather': ['$.kind', '$.many'] },
      { '@project': { metadata: { name: 'all' }, r: '$.many' } },
    ]
    expect(engineOf(gathers).apply(obj({ many: many.toReversed() })).view[0]?.object.r).toEqual(many)
  })

  it('makes a long text no long message', () => {
    const { problems } = copying({ '@not': '$.long' }).apply(obj({ long: 'x'.repeat(1_000_000) }))
    expect(problems[0]?.message.length).toBeLessThan(300)
  })
})

describe('a path or operator that would take too long', () => {
  it('is an error of its object', () => {
    const l = Array.from({ length: 2_000 }, (_, a) => ({ a }))
    const { problems, view } = copying('$.l[?(@.a == 1 && $.l[?(@.a == -1 && $.l[?(@.a == -1)])])].a').apply(
      obj({ l }),
    )
    expect(view.length + problems.length).toBe(1)
    const quadratic = copying('$.l[?($.l[?($.l[?(@.a == -1)])])].a').apply(obj({ l }))
    expect(quadratic.problems[0]?.message).toMatch(/^a JSONPath looks at more than 1000000 values/)
  })

  it.each<[string, Json]>([
    ['a filter on the length of a long text', '$.many[?(length($.long) == 3)].x'],
    ['a filter that looks for each element in the list', '$.many[?(!(@ in $.many))]'],
    ['a filter on the members of a large object', '$.many[?($.large.* == -1)]'],
    ['a filter that compares large lists', '$.many[?($.many != $.same)]'],
    ['each with each', { '@filter': [{ '@any': [{ '@eq': ['$$', -1] }, '$.many'] }, '$.many'] }],
    ['each in the list', { '@filter': [{ '@in': [-1, '$.many'] }, '$.many'] }],
    ['large lists compared for each', { '@filter': [{ '@eq': ['$.many', '$.same'] }, '$.many'] }],
    ['a long text for each', { '@map': [{ '@concat': ['$.long', '$$'] }, '$.many'] }],
    ['the hash of a long text for each', { '@map': [{ '@hash': '$.long' }, '$.many'] }],
    ['a long range for each', { '@map': [{ '@range': [0, 100_000] }, '$.many'] }],
    ['a copy of a large object for each', { '@map': [{ '$.': '$.large' }, '$.many'] }],
    ['the sum of the list for each', { '@map': [{ '@sum': '$.many' }, { '@range': [0, 100_000] }] }],
    ['a path for each', { '@map': ['$.many[?(@ == 9999)]', '$.many'] }],
  ])('is an error of its object: %s', (_, expression) => {
    const many = Array.from({ length: 10_000 }, (_, index) => index)
    const large = Object.fromEntries(many.map((index) => [`k${index}`, index]))
    const event = obj({ many, large, same: [...many], long: 'x'.repeat(1_000_000) })
    const { problems, view } = copying(expression).apply(event, obj({}, 'other'))
    expect(problems.filter(({ objects }) => objects.includes('Obj ns/a'))).toMatchObject([
      { message: expect.stringMatching(/looks at more than [12]0+ values/) },
    ])
    expect(view.map(({ object }) => object.metadata.name)).not.toContain('a')
  })

  it('makes no text beyond what the machine can hold', () => {
    const long = 'x'.repeat(1_000_000)
    const parts = Array.from({ length: 1_000 }, () => '$.long')
    const { problems } = copying({ '@concat': parts }).apply(obj({ long }))
    expect(problems).toMatchObject([{ step: '@project (step 0)', message: 'Invalid string length' }])
  })

  it('makes no list of millions of elements', () => {
    expect(copying({ '@range': [0, 1_000_000_000] }).apply(obj({})).problems[0]?.message).toMatch(
      /^@range: expected at most/,
    )
    expect(copying({ '$.x[4000000000]': 1 }).apply(obj({})).problems[0]?.message).toMatch(/^cannot set index/)
  })

  it('is an error where controllers write what they read and never come to rest', () => {
    const step = { '@project': { metadata: NAME, n: { '@add': ['$.n', 1] } } }
    const controllers = [
      { name: 'start', sources: [{ apiGroup: '', kind: 'Obj' }], pipeline: step, target: { kind: 'V' } },
      { name: 'circle', sources: [{ kind: 'V' }], pipeline: step, target: { kind: 'V' } },
    ]
    const engine = createEngine(loadSpec(JSON.stringify({ controllers })))
    expect(engine.apply(obj({ n: 1 })).problems[0]?.message).toMatch(/never settle/)
    expect(engine.apply(obj({ n: 1 }, 'b')).problems[0]?.message).toMatch(/never settle/)
  })
})
