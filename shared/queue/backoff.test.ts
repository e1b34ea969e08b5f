import { afterEach, describe, expect, it, vi } from 'vitest'
import { backoffDelay } from './backoff.ts'

describe('backoffDelay', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it('doubles its ceiling with every attempt up to the cap', () => {
    vi.spyOn(Math, 'random').mockReturnValue(1)
    const ceilings = [0, 1, 2, 3, 4, 5000].map((attempt) =>
      backoffDelay(attempt, { baseMs: 100, capMs: 1000 }),
    )
    expect(ceilings).toEqual([100, 200, 400, 800, 1000, 1000])
  })

  it('spreads over the whole range below the ceiling', () => {
    vi.spyOn(Math, 'random').mockReturnValueOnce(0).mockReturnValueOnce(0.25)
    expect(backoffDelay(1, { baseMs: 100, capMs: 1000 })).toBe(0)
    expect(backoffDelay(1, { baseMs: 100, capMs: 1000 })).toBe(50)
  })
})
