import { describe, expect, it } from 'vitest'
import { type ChangeStreamOptions, runChanges } from './change-stream.ts'
import type { Change } from './workload-changes.ts'

const change = (object: string): Change => ({ kind: 'readiness', object, run: async () => {} })

function stream(objects: readonly string[], run: ChangeStreamOptions['run']): Promise<number> {
  const left = [...objects]
  const draw = (): Change => change(left.shift() ?? 'none')
  return runChanges({ rate: 10_000, count: objects.length, draw, run, report: () => {} })
}

describe('a stream of changes', () => {
  it('makes changes of one object one after another, and others meanwhile', async () => {
    const gate = Promise.withResolvers<void>()
    const log: string[] = []
    let ofA = 0
    const made = await stream(['a', 'a', 'b'], async ({ object }) => {
      const name = object === 'a' ? `a${++ofA}` : object
      log.push(`${name} begins`)
      if (name === 'a1') await gate.promise
      if (name === 'b') gate.resolve()
      log.push(`${name} ends`)
    })
    expect(made).toBe(3)
    expect(log).toEqual(['a1 begins', 'b begins', 'b ends', 'a1 ends', 'a2 begins', 'a2 ends'])
  })

  it('ends with the first change that is refused, and says which', async () => {
    const refusal = new Error('no')
    const made = stream(['a', 'b', 'c'], async ({ object }) => {
      if (object === 'b') throw refusal
    })
    await expect(made).rejects.toMatchObject({ message: 'change readiness of b failed', cause: refusal })
  })
})
