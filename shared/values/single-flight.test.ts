import { describe, expect, it } from 'vitest'
import { SingleFlight } from './single-flight.ts'

const create = () => new SingleFlight<string, string>((earlier, later) => `${earlier}+${later}`)

describe('the runs of a key', () => {
  it('are shared by those who come while one is under way, each task done, and it by nobody', async () => {
    const runs = create()
    const gate = Promise.withResolvers<void>()
    const reported: string[] = []
    const say = async (task: string): Promise<void> => void reported.push(task)
    const first = runs.run('a', 'first', async (task) => {
      await gate.promise
      reported.push(task)
    })
    const later = [runs.run('a', 'second', say), runs.run('a', 'third', say)]
    await runs.run('b', 'other', say)
    expect(reported).toEqual(['other'])

    gate.resolve()
    await Promise.all([first, ...later])

    expect(reported).toEqual(['other', 'first', 'second+third'])
    await runs.run('a', 'fourth', say)
    expect(reported.at(-1)).toBe('fourth')
  })

  it('take in nothing more once they have begun', async () => {
    const runs = create()
    const gate = Promise.withResolvers<void>()
    const reported: string[] = []
    const slow = async (task: string): Promise<void> => {
      reported.push(task)
      await gate.promise
    }
    const first = runs.run('a', 'first', async () => {})
    const second = runs.run('a', 'second', slow)
    await first
    const third = runs.run('a', 'third', slow)
    gate.resolve()
    await Promise.all([second, third])
    expect(reported).toEqual(['second', 'third'])
  })

  it('go on after one that failed, which only those see who shared it', async () => {
    const runs = create()
    const fail = (): Promise<void> => Promise.reject(new Error('no'))
    const results = [runs.run('a', '1', fail), runs.run('a', '2', fail), runs.run('a', '3', async () => {})]

    const settled = await Promise.allSettled(results)
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    await expect(runs.run('a', '4', async () => {})).resolves.toBeUndefined()
  })

  it('know whether they follow another one', async () => {
    const runs = create()
    const reported: boolean[] = []
    const tell = async (_: string, { isNext }: { isNext: boolean }): Promise<void> =>
      void reported.push(isNext)
    await Promise.all([runs.run('a', '1', tell), runs.run('a', '2', tell), runs.run('b', '3', tell)])
    await runs.run('a', '4', tell)
    expect(reported.toSorted()).toEqual([false, false, false, true])
  })
})
