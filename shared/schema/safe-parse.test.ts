import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { safeParse } from './index.ts'

const SCHEMA = z.strictObject({
  name: z.string().check(z.maxLength(3)),
  size: z.optional(z.number('must be a count')),
  window: z.optional(z.union([z.literal('auto'), z.number()])),
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
    [{ name: 'cart' }, 'Too big: expected string to have <=3 characters'],
    [{ name: 'web', nam: 'web' }, 'Unrecognized key: "nam"'],
    [{ name: 'web', size: 'large' }, 'must be a count'],
  ])('says in words what is wrong with %j', (value, message) => {
    expect(safeParse(SCHEMA, value).error?.issues).toMatchObject([{ message }])
  })

  it('says so of each alternative, too', () => {
    expect(safeParse(SCHEMA, { name: 'web', window: 'often' }).error?.issues).toMatchObject([
      {
        errors: [
          [{ message: 'Invalid input: expected "auto"' }],
          [{ message: 'Invalid input: expected number, received string' }],
        ],
      },
    ])
  })

  it('leaves what others have zod say as it is', () => {
    expect(z.safeParse(z.string(), 7).error?.issues).toMatchObject([{ message: 'Invalid input' }])
  })
})
