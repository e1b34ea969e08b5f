import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Change, mergeChanges } from './change.ts'
import { HINTED_PODS } from './sync-hint.ts'

const key = { cluster: 'prod', namespace: 'shop', service: 'cart' }
const changes: fc.Arbitrary<Change> = fc
  .option(fc.uniqueArray(fc.stringMatching(/^[a-c]\d?$/), { maxLength: 5 }), { nil: undefined })
  .chain((pods) =>
    fc.boolean().map((deferrable) => ({
      ...key,
      ...(pods && { pods }),
      ...(deferrable && { deferrable: true as const }),
    })),
  )

describe('mergeChanges', () => {
  it('is of the cluster that both are of, and otherwise of none', () => {
    const of = (from?: string): Change => ({
      ...{ cluster: 'clusterset:default', namespace: 'shop', service: 'web' },
      ...(from !== undefined && { from }),
    })
    expect(mergeChanges(of('eu'), of('eu'))).toEqual(of('eu'))
    for (const [one, other] of [
      ['eu', 'us'],
      ['eu', undefined],
      [undefined, 'eu'],
    ])
      expect(mergeChanges(of(one), of(other))).toEqual(of())
  })

  it('names every pod that either change names, and none where one of them may be about anything', () => {
    fc.assert(
      fc.property(changes, changes, (one, other) => {
        const { pods } = mergeChanges(one, other)
        if (one.pods === undefined || other.pods === undefined) expect(pods).toBeUndefined()
        else expect(new Set(pods)).toEqual(new Set([...one.pods, ...other.pods]))
      }),
    )
  })

  it('is patient if both are', () => {
    fc.assert(
      fc.property(changes, changes, (one, other) => {
        expect(mergeChanges(one, other).deferrable === true).toBe(
          one.deferrable === true && other.deferrable === true,
        )
      }),
    )
  })

  it('gives the same in whatever order more of them are merged', () => {
    const shuffled = fc
      .array(changes, { minLength: 1 })
      .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })))
    fc.assert(
      fc.property(shuffled, ([all, others]) => {
        const merged = ([first, ...rest]: Change[]): Change => {
          const { pods, ...change } = rest.reduce(mergeChanges, first as Change)
          return { ...change, ...(pods && { pods: [...pods].sort() }) }
        }
        expect(merged(all)).toEqual(merged(others))
      }),
    )
  })

  it.each([
    ['5', '10', '10'],
    ['10', '5', '10'],
    ['5', '5', '5'],
    ['a', 'a', 'a'],
    ['a', 'b', undefined],
    ['5', 'b', undefined],
    ['5', undefined, undefined],
    [undefined, '5', undefined],
  ])('has of the versions %s and %s: %s', (one, other, merged) => {
    const of = (resourceVersion?: string): Change => ({ ...key, ...(resourceVersion && { resourceVersion }) })
    expect(mergeChanges(of(one), of(other))).toEqual(of(merged))
  })

  it('has the earliest time of either, in whatever zone it is written', () => {
    const of = (triggerTime?: string): Change => ({ ...key, ...(triggerTime && { triggerTime }) })
    const early = of('2026-01-01T12:00:00+05:00')
    const late = of('2026-01-01T10:00:00Z')
    for (const [one, other] of [
      [early, late],
      [late, early],
      [early, key],
      [key, early],
    ] as const)
      expect(mergeChanges(one, other)).toEqual(early)
    const same = of('2026-01-01T07:00:00Z')
    expect(mergeChanges(early, same)).toEqual(early)
    expect(mergeChanges(key, key)).toEqual(key)
  })

  it('names none where there are too many', () => {
    const pods = Array.from({ length: HINTED_PODS }, (_, index) => `p${index}`)
    expect(mergeChanges({ ...key, pods }, { ...key, pods }).pods).toEqual(pods)
    expect(mergeChanges({ ...key, pods }, { ...key, pods: ['one-more'] }).pods).toBeUndefined()
  })
})
