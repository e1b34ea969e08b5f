import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EvaluationError, PathError } from '../errors.ts'
import type { Json } from '../json/index.ts'
import { parsePath, readPath, writePath } from './index.ts'

const ROOT: Json = {
  a: { b: 1, 'c-d': 2, é_1: 3 },
  list: [10, 20, 30, 40],
  objects: [
    { name: 'x', n: 1, tags: ['p'] },
    { name: 'y', n: 2, tags: [] },
    { name: 'z', tags: ['p', 'q'], deep: { n: 9 } },
  ],
}
const read = (path: string, root: Json = ROOT): Json | undefined => readPath(parsePath(path), root)

describe('reading a path', () => {
  it.each<[string, Json | undefined]>([
    ['$.a.b', 1],
    ['$["a"]["c-d"]', 2],
    ["$['a'].é_1", 3],
    ['$[ "a" ].b', 1],
    ['$.a["\\u0062"]', 1],
    ['$.list[0]', 10],
    ['$.list[-1]', 40],
    ['$.list[9]', undefined],
    ['$.list[-9]', undefined],
    ['$.list.b', undefined],
    ['$.a[0]', undefined],
    ['$.a.b.c', undefined],
    ['$.list[*]', 10],
    ['$.list.*', 10],
    ['$.a.*', 1],
    ['$.list[1:3]', 20],
    ['$.list[-2:]', 30],
    ['$.list[::-1]', 40],
    ['$.list[2:0:-1]', 30],
    ['$.list[3:1]', undefined],
    ['$.list[9,1]', 20],
    ["$.a['none','b']", 1],
    ['$..n', 1],
    ['$.objects[2]..n', 9],
    ['$..[3]', 40],
    ["$.objects[?(@.name=='y')].n", 2],
    ['$.objects[?(@.n > 1)].name', 'y'],
    ['$.objects[?(@.n >= 1 && @.name != "x")].name', 'y'],
    ['$.objects[?(@.n < 1 || @.deep.n == 9)].name', 'z'],
    ['$.objects[?(!(@.n <= 2))].name', 'z'],
    ['$.objects[?(@.deep)].name', 'z'],
    ['$.objects[?(!@.n)].name', 'z'],
    ["$.objects[?(@.name in ['z', 'y'])].name", 'y'],
    ['$.objects[?(length(@.tags) == 2)].name', 'z'],
    ['$.objects[?(count(@.tags[*]) == 0)].name', 'y'],
    ['$.objects[?(@.n has false)].name', 'z'],
    ['$.objects[?(@.n exists true)].name', 'x'],
    ['$.objects[?(@.tags empty true)].name', 'y'],
    ['$.objects[?(@.n == $.a.b)].name', 'x'],
    ['$.list[?(@ > 25)]', 30],
    ['$.objects[?(@.name > 1)].name', undefined],
    ['$.toString', undefined],
  ])('%s gives %j', (path, value) => {
    expect(read(path)).toEqual(value)
  })

  it('gives the root for $ and $.', () => {
    expect([read('$'), read('$.')]).toEqual([ROOT, ROOT])
  })

  it('follows members in the order of their names, whatever the order of the text', () => {
    expect(read('$.*', { b: 2, a: 1 })).toBe(1)
    expect(read('$..x', { b: { x: 2 }, a: { x: 1 } })).toBe(1)
  })

  it.each(
    [
      '$a',
      '$.',
      '$..',
      '$.a.',
      '$.a b',
      '$.a-b',
      '$.a[',
      '$.a[]',
      '$.a[x]',
      "$.a['b",
      '$.a[1:2:0]',
      '$.a[?(@.b ==)]',
      '$.a[?(@.b) x]',
      '$.a[(@.length-1)]',
      '$.a[?(@.b =~ /x/)]',
    ].filter((path) => path !== '$.'),
  )('cannot be read from %s', (path) => {
    expect(() => parsePath(path)).toThrow(PathError)
  })

  it('says where it cannot be read', () => {
    expect(() => parsePath('$.spec.sl/ash')).toThrow('expected . or [, found "/" at character 10')
  })

  it('never fails otherwise than by saying that it cannot be read', () => {
    const signs = fc.constantFrom(
      '$',
      '.',
      '[',
      ']',
      '?',
      '(',
      ')',
      '@',
      "'",
      '*',
      ':',
      ',',
      '-',
      '1',
      'a',
      '=',
      '&',
      '!',
      ' ',
    )
    fc.assert(
      fc.property(fc.array(signs, { maxLength: 15 }), (tail) => {
        try {
          read(`$${tail.join('')}`)
        } catch (error) {
          expect(error).toBeInstanceOf(PathError)
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('of filters without end is refused', () => {
    expect(() => parsePath(`$[?${'('.repeat(10_000)}`)).toThrow(/at most 30 levels/)
    expect(() => parsePath(`$[?${'!'.repeat(10_000)}@`)).toThrow(/at most 30 levels/)
    expect(() => parsePath(`$[?(@ in ${'['.repeat(10_000)}`)).toThrow(/at most 30 levels/)
  })
})

describe('writing at a path', () => {
  const write = (path: string, root: Json, value: Json = 'new'): Json =>
    writePath(root, parsePath(path), value)

  it.each<[string, Json, Json]>([
    ['$.a', {}, { a: 'new' }],
    ['$.a.b', {}, { a: { b: 'new' } }],
    ['$.a.b', { a: { c: 1 } }, { a: { c: 1, b: 'new' } }],
    ['$.a.b', { a: null }, { a: { b: 'new' } }],
    ['$.y[2]', {}, { y: [null, null, 'new'] }],
    ['$.y[1]', { y: [1, 2, 3] }, { y: [1, 'new', 3] }],
    ['$.y[-1]', { y: [1, 2, 3] }, { y: [1, 2, 'new'] }],
    ['$.y[*]', { y: [1, 2] }, { y: ['new', 'new'] }],
    ['$.y.*', { y: { a: 1, b: 2 } }, { y: { a: 'new', b: 'new' } }],
    ['$.y[*].v', { y: [{ v: 1 }, {}] }, { y: [{ v: 'new' }, { v: 'new' }] }],
    ['$.y[0:2]', { y: [1, 2, 3] }, { y: ['new', 'new', 3] }],
    ['$.y[0,2]', { y: [1, 2, 3] }, { y: ['new', 2, 'new'] }],
    ["$['a','b']", {}, { a: 'new', b: 'new' }],
    ['$.y[?(@.v == 1)].v', { y: [{ v: 1 }, { v: 2 }] }, { y: [{ v: 'new' }, { v: 2 }] }],
  ])('%s sets %j', (path, root, wanted) => {
    expect(write(path, root)).toEqual(wanted)
  })

  it.each<[string, Json]>([
    ['$.a.b', { a: 1 }],
    ['$.x[0].y', {}],
    ['$.y[3]', { y: [1] }],
    ['$.y[-1]', {}],
    ['$.y[*]', {}],
    ['$.y[?(@)]', { y: 5 }],
    ['$.y[10000]', {}],
  ])('%s fails in %j', (path, root) => {
    expect(() => write(path, root)).toThrow(EvaluationError)
  })

  it('leaves what was there as it was, and shares the rest', () => {
    const root = { a: { b: 1 }, other: { big: [1, 2, 3] } }
    const written = write('$.a.b', root) as typeof root
    expect(root).toEqual({ a: { b: 1 }, other: { big: [1, 2, 3] } })
    expect(written.other).toBe(root.other)
  })
})
