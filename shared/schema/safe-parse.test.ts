import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { describeIssues, finite, record, safeParse, strictObject, whole } from './index.ts'

const SCHEMA = strictObject({
  name: v.pipe(v.string(), v.minLength(1), v.maxLength(3)),
  size: v.optional(v.number('must be a count')),
  window: v.optional(v.union([v.literal('auto'), finite()])),
  mode: v.optional(v.picklist(['custom', 'replace'])),
  version: v.optional(v.literal('v1')),
  port: v.optional(whole(1, 65_535)),
  texts: v.optional(v.pipe(v.array(v.pipe(v.string(), v.regex(/^a/))), v.maxLength(2))),
  labels: v.optional(record(v.pipe(v.string(), v.maxLength(3)), v.string())),
  share: v.optional(finite()),
  flag: v.optional(v.boolean()),
})

describe('safeParse', () => {
  it('gives what fits', () => {
    expect(safeParse(SCHEMA, { name: 'web', window: 1 })).toEqual({
      success: true,
      data: { name: 'web', window: 1 },
    })
  })

  it.each([
    [null, 'Invalid input: expected object, received null'],
    [[], 'Invalid input: expected object, received array'],
    [{}, 'name: Invalid input: expected string, received undefined'],
    [{ name: '' }, 'name: Too small: expected string to have >=1 characters'],
    [{ name: 'cart' }, 'name: Too big: expected string to have <=3 characters'],
    [{ name: 'web', nam: 'web' }, 'Unrecognized key: "nam"'],
    [{ name: 'web', nam: 'web', Name: 'web' }, 'Unrecognized keys: "nam", "Name"'],
    [{ name: 'web', size: 'large' }, 'size: must be a count'],
    [{ name: 'web', window: 'often' }, 'window: Invalid input'],
    [{ name: 'web', mode: 'other' }, 'mode: Invalid option: expected one of "custom"|"replace"'],
    [{ name: 'web', version: 'v2' }, 'version: Invalid input: expected "v1"'],
    [{ name: 'web', port: 0 }, 'port: Too small: expected number to be >=1'],
    [{ name: 'web', port: 70_000 }, 'port: Too big: expected number to be <=65535'],
    [{ name: 'web', port: 1.5 }, 'port: Invalid input: expected int, received number'],
    [{ name: 'web', size: Number.NaN }, 'size: must be a count'],
    [
      { name: 'web', share: Number.POSITIVE_INFINITY },
      'share: Invalid input: expected number, received Infinity',
    ],
    [{ name: 'web', texts: ['b'] }, 'texts.0: Invalid string: must match pattern /^a/'],
    [{ name: 'web', texts: ['a', 'a', 'a'] }, 'texts: Too big: expected array to have <=2 items'],
    [{ name: 'web', labels: [] }, 'labels: Invalid input: expected record, received array'],
    [{ name: 'web', labels: { long: 'a' } }, 'labels.long: Invalid key in record'],
    [{ name: 'web', labels: { a: 1 } }, 'labels.a: Invalid input: expected string, received number'],
    [{ name: 'web', flag: 'true' }, 'flag: Invalid input: expected boolean, received string'],
    [
      { flag: 1 },
      'name: Invalid input: expected string, received undefined; flag: Invalid input: expected boolean, received number',
    ],
  ])('says in words what is wrong with %j', (value, message) => {
    expect(describeIssues(safeParse(SCHEMA, value).issues ?? [])).toBe(message)
  })
})
