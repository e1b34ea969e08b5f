import { describe, expect, it } from 'vitest'
import { createOneAtATime } from './one-at-a-time.ts'

describe('the work of keys', () => {
  it('waits for earlier work of the same key, and for none of another', async () => {
    const oneAtATime = createOneAtATime<string>()
    const gate = Promise.withResolvers<void>()
    const told: string[] = []
    const first = oneAtATime('a', async () => {
      await gate.promise
      told.push('a1')
    })
    const second = oneAtATime('a', async () => void told.push('a2'))
    await oneAtATime('b', async () => void told.push('b1'))
    expect(told).toEqual(['b1'])

    gate.resolve()
    await Promise.all([first, second])

    expect(told).toEqual(['b1', 'a1', 'a2'])
  })

  it('goes on after a failure, which only its own caller is told of', async () => {
    const oneAtATime = createOneAtATime<string>()
    const failed = oneAtATime('a', () => Promise.reject(new Error('no')))
    const done = oneAtATime('a', async () => 'yes')

    await expect(failed).rejects.toThrow('no')
    expect(await done).toBe('yes')
    expect(await oneAtATime('a', async () => 'again')).toBe('again')
  })
})
