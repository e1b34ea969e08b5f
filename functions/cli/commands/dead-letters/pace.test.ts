import { describe, expect, it } from 'vitest'
import { createPace } from './pace.ts'

describe('a pace', () => {
  it('spreads pieces over time, the first ones at once', () => {
    const pace = createPace(10, () => 0)
    expect([pace(5), pace(1), pace(10), pace(1)]).toEqual([0, 500, 600, 1_600])
  })

  it('does not make up for time that was not used', () => {
    const clock = { ms: 0 }
    const pace = createPace(10, () => clock.ms)
    pace(1)
    clock.ms = 60_000
    expect([pace(10), pace(1)]).toEqual([0, 1_000])
  })
})
