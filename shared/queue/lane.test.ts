import { expect, it } from 'vitest'
import { visibilityTimeoutSeconds } from './lane.ts'

it('the visibility timeout outlasts six calls of the function and the gathering before them', () => {
  expect(visibilityTimeoutSeconds({ functionTimeoutSeconds: 60, batchWindowSeconds: 0 })).toBe(380)
  expect(visibilityTimeoutSeconds({ functionTimeoutSeconds: 30, batchWindowSeconds: 300 })).toBe(500)
})
