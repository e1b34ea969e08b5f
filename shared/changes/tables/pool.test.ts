import { describe, expect, it } from 'vitest'
import { createLabelPool } from './pool.ts'

describe('a pool of labels', () => {
  it('gives all users of equal labels the same object, in whatever order they are written', () => {
    const pool = createLabelPool()
    const first = pool.acquire({ app: 'web', tier: 'a' })
    expect(pool.acquire({ tier: 'a', app: 'web' })).toBe(first)
    expect(pool.acquire({ app: 'web', tier: 'b' })).not.toBe(first)
    expect(pool.size).toBe(2)
  })

  it('keeps labels until their last user has released them, also the second time', () => {
    const pool = createLabelPool()
    for (let round = 0; round < 2; round++) {
      const labels = pool.acquire({ app: 'web' })
      pool.acquire({ app: 'web' })
      pool.release(labels)
      expect(pool.acquire({ app: 'web' })).toBe(labels)
      pool.release(labels)
      expect(pool.size).toBe(1)
      pool.release(labels)
      expect(pool.size).toBe(0)
    }
  })

  it('lets go of nothing that it does not have', () => {
    const pool = createLabelPool()
    pool.acquire({ app: 'web' })
    pool.release({ app: 'api' })
    expect(pool.size).toBe(1)
  })
})
