import { describe, expect, it } from 'vitest'
import { ourOutcome } from '../../../shared/endpointslice/test/differential/ours.ts'
import { benchCases } from './bench-cases.ts'

describe('the cases of the benchmark', () => {
  const cases = benchCases().filter(({ podCount }) => podCount <= 1000)

  it('are the same each time', () => {
    expect(benchCases().filter(({ podCount }) => podCount <= 1000)).toEqual(cases)
  })

  it.each([
    ['create 100', [1, 0, 0]],
    ['create 1000', [10, 0, 0]],
    ['unchanged 1000', [0, 0, 0]],
    ['rolled 1000', [0, 10, 0]],
  ])('write in %s what its name says, and do not change what they are given', (id, writes) => {
    const benchCase = cases.find((candidate) => candidate.id === id)
    if (benchCase === undefined) throw new Error(`no case ${id}`)
    expect(benchCase.pods).toHaveLength(benchCase.podCount)
    expect(Object.isFrozen(benchCase.pods[0]?.status)).toBe(true)
    const { create, update, delete: removed } = ourOutcome(benchCase)
    expect([create.length, update.length, removed.length]).toEqual(writes)
  })
})
