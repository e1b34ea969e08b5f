import { describe, expect, it } from 'vitest'
import { type Condition, type WantedCondition, withConditions } from '../index.ts'
import { exportStatusUpdate } from './export-status.ts'

const valid: WantedCondition = { type: 'Valid', status: 'True', reason: 'Valid', message: 'It is.' }
const conflict: WantedCondition = {
  type: 'Conflict',
  status: 'False',
  reason: 'NoConflicts',
  message: 'None.',
}
const at = (now: string, generation: number | undefined = 1) => ({ now, generation })
const T1 = '2026-01-01T00:00:00Z'
const T2 = '2026-01-02T00:00:00Z'

/** Returns the conditions as they are written on an object that had none. */
const written = (...wantedConditions: WantedCondition[]): Condition[] =>
  withConditions(undefined, wantedConditions, at(T1)) ?? []

it('the condition Ready of an export is one that the API takes, however many clusters have problems', () => {
  const problems = Array.from({ length: 1000 }, (_, index) => `cluster c-${index} does not take it, as it is`)
  const findings = { wantedConditions: [valid], problems, isPartial: false, clusters: [], now: 0 }
  const { status } = exportStatusUpdate({}, findings) ?? {}
  expect(status?.conditions?.[1]).toMatchObject({
    ...{ type: 'Ready', status: 'False' },
    message: `${problems.slice(0, 5).join('; ')} and 995 more`,
  })
})

describe('the conditions of an object', () => {
  it('are made of the wanted ones, the time and the generation', () => {
    expect(withConditions(undefined, [valid], at(T1, 3))).toEqual([
      { ...valid, observedGeneration: 3, lastTransitionTime: T1 },
    ])
    expect(withConditions([], [valid], { now: T1, generation: undefined })).toEqual([
      { ...valid, lastTransitionTime: T1 },
    ])
  })

  it('are not written again while they say the same', () => {
    expect(withConditions(written(valid, conflict), [conflict, valid], at(T2))).toBeUndefined()
    expect(withConditions(undefined, [], at(T2))).toBeUndefined()
  })

  it('keep the time of their transition while only reason, message or generation change', () => {
    const other = { ...valid, reason: 'Other', message: 'Another.' }
    expect(withConditions(written(valid), [other], at(T2))).toEqual([
      { ...other, observedGeneration: 1, lastTransitionTime: T1 },
    ])
    expect(withConditions(written(valid), [valid], at(T2, 2))).toEqual([
      { ...valid, observedGeneration: 2, lastTransitionTime: T1 },
    ])
  })

  it('take the time where the status changes', () => {
    const broken: WantedCondition = { ...valid, status: 'False', reason: 'NoService' }
    expect(withConditions(written(valid), [broken], at(T2))).toEqual([
      { ...broken, observedGeneration: 1, lastTransitionTime: T2 },
    ])
  })

  it('keep their order, and new ones come last', () => {
    const types = (conditions: Condition[] | undefined) => conditions?.map(({ type }) => type)
    expect(types(withConditions(written(conflict), [valid, conflict], at(T2)))).toEqual(['Conflict', 'Valid'])
  })

  it('lose those of the API that no wanted one is about, and no others', () => {
    const foreign: Condition = { ...written(valid)[0], type: 'example.com/Synced' } as Condition
    expect(withConditions([...written(conflict), foreign], [valid], at(T2))).toEqual([
      foreign,
      { ...valid, observedGeneration: 1, lastTransitionTime: T2 },
    ])
    expect(withConditions([foreign], [], at(T2))).toBeUndefined()
  })

  it('are mended where a cluster lies about them', () => {
    const lies = [
      'conditions',
      { Valid: true },
      [{ ...valid, observedGeneration: 1 }],
      [...written(valid), ...written(valid)],
    ]
    for (const lie of lies) {
      expect(withConditions(lie as unknown as Condition[], [valid], at(T2))).toMatchObject([valid])
    }
    expect(withConditions([null] as unknown as Condition[], [valid], at(T2))).toMatchObject([valid])
  })
})
