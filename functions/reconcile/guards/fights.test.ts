import { describe, expect, it } from 'vitest'
import { ANNOTATION_SEAL } from '../../../shared/changes/index.ts'
import type { EndpointSlice } from '../../../shared/endpointslice/index.ts'
import { checkFights, SliceFightError } from './fights.ts'
import { ANNOTATION_REPAIRS, annotationOf, withAnnotation } from './slice-annotations.ts'
import { addresses, ago, changes, NOW, slice } from './slices.fixtures.ts'

/** Slice `a` as somebody else left it. */
function edited(repairs?: string): EndpointSlice {
  const annotations: Record<string, string> = repairs === undefined ? {} : { [ANNOTATION_REPAIRS]: repairs }
  const { metadata, ...content } = slice('a', { annotations })
  const managedFields = [
    { manager: 'sliceflow', time: ago(1) },
    { manager: 'kubectl-edit', time: ago(900) },
    { manager: 'mesh-operator', time: ago(5) },
  ]
  return { ...content, metadata: { ...metadata, managedFields }, endpoints: [{ addresses: ['6.6.6.6'] }] }
}

const check = (found: EndpointSlice) => {
  const update = [slice('a', { addresses: addresses(1), annotations: found.metadata?.annotations ?? {} })]
  return checkFights(changes({ update }), { slices: [found], losses: undefined, now: NOW })
}

const repairsIn = ({ changes: { update } }: ReturnType<typeof check>) =>
  update.map((one) => annotationOf(one, ANNOTATION_REPAIRS))

describe('a slice that somebody else edited', () => {
  it('is mended, and carries the count of its repairs', () => {
    expect(repairsIn(check(edited()))).toEqual([`1 ${ago(0)}`])
    expect(repairsIn(check(edited(`3 ${ago(2)}`)))).toEqual([`4 ${ago(0)}`])
    expect(check(edited(`3 ${ago(2)}`)).fights).toEqual([])
  })

  it('is left alone after five repairs in a row, and the other writer is named', () => {
    expect(check(edited(`5 ${ago(2)}`)).fights).toEqual([
      { slices: ['a'], opponent: 'mesh-operator', kind: 'edits', quietMs: 28_000 },
    ])
  })

  it('is mended again when its quiet time is over', () => {
    expect(check(edited(`5 ${ago(30)}`)).fights).toEqual([])
    expect(check(edited(`5 ${ago(29)}`)).fights).toHaveLength(1)
  })

  it('counts anew after a time of peace', () => {
    expect(repairsIn(check(edited(`9 ${ago(4000)}`)))).toEqual([`1 ${ago(0)}`])
  })

  it('names nobody where only we wrote, as with a mutating webhook', () => {
    const { metadata, ...content } = edited(`5 ${ago(2)}`)
    const ours = { ...content, metadata: { ...metadata, managedFields: [{ manager: 'sliceflow' }] } }
    expect(check(ours).fights).toMatchObject([{ opponent: undefined }])
  })
})

describe('a slice that nobody else edited', () => {
  it.each([
    ['as we left it', slice('a')],
    ['that was never ours', { ...edited(), metadata: { name: 'a', annotations: {} } }],
  ])('%s gets no count', (_what, found) => {
    expect(repairsIn(check(found))).toEqual([undefined])
  })
})

describe('slices that are deleted again and again', () => {
  const plan = changes({ create: [slice('a'), slice('b')], update: [slice('c')] })
  const evidence = { slices: [slice('c')], now: NOW }

  it('are not made again for a while', () => {
    expect(checkFights(plan, { ...evidence, losses: { count: 5, last: NOW } })).toEqual({
      changes: plan,
      fights: [{ slices: ['a', 'b'], opponent: undefined, kind: 'deletions', quietMs: 30_000 }],
    })
  })

  it('are left alone as well where only their annotations are taken off, and the other writer is named', () => {
    const stripped = withAnnotation(edited(), ANNOTATION_SEAL, undefined)
    const strip = { slices: [stripped], losses: { count: 5, last: NOW }, now: NOW }
    expect(checkFights(changes({ update: [slice('a')] }), strip).fights).toEqual([
      { slices: ['a'], opponent: 'mesh-operator', kind: 'deletions', quietMs: 30_000 },
    ])
  })

  it('are never left away for longer than 30 s, however often that was', () => {
    const quiet = checkFights(plan, { ...evidence, losses: { count: 50, last: NOW } }).fights
    expect(quiet).toMatchObject([{ quietMs: 30_000 }])
  })

  it('are made again while that is no habit', () => {
    expect(checkFights(plan, { ...evidence, losses: { count: 4, last: NOW } }).fights).toEqual([])
  })
})

describe('the error for a fight', () => {
  it('says who, what and for how long, and comes back then', () => {
    const { fights } = check(edited(`5 ${ago(2.5)}`))
    const error = new SliceFightError('shop/web of cluster eu-1', fights)
    expect(error.message).toBe(
      'failed to mend slices a of Service shop/web of cluster eu-1: mesh-operator keeps undoing it; they are left alone for 28 s',
    )
    expect(error).toMatchObject({ retryable: true, retryAfterSeconds: 28, failureClass: 'Conflict' })
  })
})
