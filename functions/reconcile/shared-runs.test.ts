import { describe, expect, it } from 'vitest'
import { createSharedRuns } from './shared-runs.ts'

describe('the runs of a key', () => {
  it('are shared by those who come while one is under way, and it by nobody', async () => {
    const runs = createSharedRuns<string>()
    const gate = Promise.withResolvers<void>()
    const told: string[] = []
    const say = (word: string) => async (): Promise<void> => void told.push(word)
    const first = runs.run('a', async ({ isAwaited }) => {
      const before = isAwaited()
      await gate.promise
      told.push(`first ${before} ${isAwaited()}`)
    })
    const later = [runs.run('a', say('second')), runs.run('a', say('third'))]
    await runs.run('b', say('other'))
    expect(told).toEqual(['other'])

    gate.resolve()
    await Promise.all([first, ...later])

    expect(told).toEqual(['other', 'first false true', 'second'])
    await runs.run('a', say('fourth'))
    expect(told.at(-1)).toBe('fourth')
  })

  it('go on after one that failed, which only those are told of who shared it', async () => {
    const runs = createSharedRuns<string>()
    const fail = (): Promise<void> => Promise.reject(new Error('no'))
    const results = [runs.run('a', fail), runs.run('a', fail), runs.run('a', async () => {})]

    const settled = await Promise.allSettled(results)
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    await expect(runs.run('a', async () => {})).resolves.toBeUndefined()
  })

  it('know whether they follow another one', async () => {
    const runs = createSharedRuns<string>()
    const told: boolean[] = []
    const tell = async ({ isNext }: { isNext: boolean }): Promise<void> => void told.push(isNext)
    await Promise.all([runs.run('a', tell), runs.run('a', tell), runs.run('b', tell)])
    await runs.run('a', tell)
    expect(told.toSorted()).toEqual([false, false, false, true])
  })
})
