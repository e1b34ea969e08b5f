import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { finite, looseObject, object, passedOver, record, safeParse, strictObject } from './index.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

it('are the objects and records of every schema, in place of valibot’s', () => {
  const files = globSync('{cli,functions,infra,shared}/**/*.ts', {
    cwd: ROOT,
    exclude: ['**/node_modules/**'],
  })
  const uses = files.filter((file) =>
    /\bv\.(strictObject|looseObject|object|objectWithRest|record)\(/.test(
      readFileSync(join(ROOT, file), 'utf8'),
    ),
  )
  expect(files.length).toBeGreaterThan(500)
  expect(uses).toEqual([])
})

describe('an object', () => {
  const NAMED = object({ name: v.string('must be given'), size: v.optional(finite(), 1), any: v.unknown() })

  it('checks a missing member as undefined, and fills in a default', () => {
    expect(safeParse(NAMED, {}).issues).toEqual([{ path: ['name'], message: 'must be given' }])
    expect(safeParse(NAMED, { name: 'a' }).data).toEqual({ name: 'a', size: 1 })
  })

  it('checks the whole where its members are of their types, whatever else is wrong with them', () => {
    const whole = v.pipe(
      strictObject({
        name: v.pipe(
          v.string(),
          v.check((name) => name !== '', 'must not be empty'),
        ),
      }),
      v.check(() => false, 'is wrong'),
    )
    const messagesOf = (value: unknown) => safeParse(whole, value).issues?.map(({ message }) => message)
    expect(messagesOf({ name: '' })).toEqual(['must not be empty', 'is wrong'])
    expect(messagesOf({ name: 'a', other: 1 })).toEqual(['Unrecognized key: "other"', 'is wrong'])
    expect(messagesOf({ name: 1 })).toHaveLength(1)
  })
})

it('a loose object passes on what it does not know, as it is', () => {
  const loose = looseObject({ size: v.pipe(finite(), v.transform(String)) })
  expect(safeParse(loose, { size: 1, other: { a: 1 } }).data).toEqual({ size: '1', other: { a: 1 } })
})

describe('a member that is passed over', () => {
  it('counts as absent where it is wrong, and is checked up to its first issue only', () => {
    const seen: string[] = []
    const name = v.pipe(
      v.string(),
      v.check((text) => seen.push(text) > 0 && text !== 'wrong'),
    )
    const lists = object({ names: passedOver(v.array(name)), sizes: passedOver(record(v.string(), name)) })
    expect(safeParse(lists, { names: ['a'], sizes: { a: 'b' } }).data).toEqual({
      names: ['a'],
      sizes: { a: 'b' },
    })
    expect(safeParse(lists, {}).data).toEqual({})
    seen.length = 0
    const wrong = { names: ['wrong', 'other'], sizes: { a: 'wrong', b: 'other' } }
    expect(safeParse(lists, wrong)).toEqual({ success: true, data: { names: undefined, sizes: undefined } })
    expect(seen).toEqual(['wrong', 'wrong'])
  })
})

describe('a record', () => {
  const TEXTS = record(v.string(), v.string())

  it('has members of the names of an object’s own, but never its prototype', () => {
    const given = JSON.parse('{"constructor":"a","prototype":"b","toString":"c","__proto__":{"d":"e"}}')
    const { data = {} } = safeParse(TEXTS, given)
    expect(Object.entries(data)).toEqual([
      ['constructor', 'a'],
      ['prototype', 'b'],
      ['toString', 'c'],
    ])
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype)
  })
})
