import { describe, expect, it } from 'vitest'
import { ANNOTATION_SEAL } from '../../../changes/index.ts'
import type { Service } from '../../../endpointslice/index.ts'
import { withAnnotation } from '../published/slice-annotations.ts'
import { NOW, slice } from '../slices.fixtures.ts'
import { DeletionFights, type OwnerOf } from './deletion-fights.ts'

function setUp() {
  let now = NOW
  const lost = new DeletionFights(() => now)
  return {
    lost,
    pass: (seconds: number) => {
      now += seconds * 1000
    },
  }
}

const service = (metadata: Service['metadata'] = {}, cluster = 'blue'): OwnerOf => ({
  cluster,
  owner: { metadata: { uid: 'u', resourceVersion: '1', ...metadata } },
})

describe('slices that are lost', () => {
  it('are counted when none of those that were made is left', () => {
    const { lost, pass } = setUp()
    for (const count of [1, 2, 3]) {
      lost.wrote(service(), [], { created: [slice('a')], updated: [] })
      pass(1)
      expect(lost.repairsOf(service(), [])).toMatchObject({ count })
    }
  })

  it('are counted from one again after a clock was set back', () => {
    const { lost, pass } = setUp()
    const lose = () => {
      lost.wrote(service(), [], { created: [slice('a')], updated: [] })
      return lost.repairsOf(service(), [])
    }
    expect([lose(), lose()]).toMatchObject([{ count: 1 }, { count: 2 }])
    pass(-60)
    expect(lose()).toMatchObject({ count: 1 })
  })

  it('are counted once, however often it is synced before they are made again', () => {
    const { lost } = setUp()
    lost.wrote(service(), [], { created: [slice('a')], updated: [] })
    expect([lost.repairsOf(service(), []), lost.repairsOf(service(), [])]).toMatchObject([
      { count: 1 },
      { count: 1 },
    ])
  })

  it.each([
    ['of a Service of the same uid in a cluster that was made of the same snapshot', service({}, 'green')],
    ['of a Service that was deleted and made again', service({ uid: 'other' })],
    ['when the Service was written meanwhile: we may have deleted them', service({ resourceVersion: '3' })],
  ])('are none %s', (_what, other) => {
    const { lost } = setUp()
    lost.wrote(service(), [], { created: [slice('a')], updated: [] })
    expect(lost.repairsOf(other, [])).toBeUndefined()
  })

  it('are counted when a slice that was there for long is stripped again and again', () => {
    const { lost } = setUp()
    const stripped = withAnnotation(slice('a'), ANNOTATION_SEAL, undefined)
    for (const count of [undefined, 1, 2]) {
      expect(lost.repairsOf(service(), [stripped])?.count).toBe(count)
      lost.wrote(service(), [stripped], { created: [], updated: [slice('a')] })
    }
  })

  it('are none that we only update', () => {
    const { lost } = setUp()
    lost.wrote(service(), [slice('a')], { created: [], updated: [slice('a')] })
    expect(lost.repairsOf(service(), [])).toBeUndefined()
  })

  it.each([
    ['when they are there', [slice('a'), slice('b')]],
    ['when one of several is gone, which another worker may have deleted', [slice('a')]],
    ['when another worker has replaced all of them', [slice('c')]],
  ])('are none %s', (_when, slices) => {
    const { lost } = setUp()
    lost.wrote(service(), [], { created: [slice('a'), slice('b')], updated: [] })
    expect(lost.repairsOf(service(), slices)).toBeUndefined()
  })

  it('are counted after the Service was written, once the slices were seen with it', () => {
    const { lost } = setUp()
    lost.wrote(service(), [], { created: [slice('a')], updated: [] })
    const edited = service({ resourceVersion: '3' })
    expect(lost.repairsOf(edited, [slice('a')])).toBeUndefined()
    expect(lost.repairsOf(edited, [])).toMatchObject({ count: 1 })
  })

  it('are forgotten after a while of peace', () => {
    const { lost, pass } = setUp()
    lost.wrote(service(), [], { created: [slice('a')], updated: [] })
    lost.repairsOf(service(), [])
    lost.wrote(service(), [], { created: [slice('a')], updated: [] })
    pass(600)
    expect(lost.repairsOf(service(), [slice('a')])).toBeUndefined()
  })

  it('are an accident half an hour after they were made', () => {
    for (const [seconds, count] of [
      [1800, 1],
      [1801, undefined],
    ] as const) {
      const { lost, pass } = setUp()
      lost.wrote(service(), [], { created: [slice('a')], updated: [] })
      lost.repairsOf(service(), [slice('a')])
      pass(seconds)
      expect(lost.repairsOf(service(), [])?.count).toBe(count)
    }
  })
})
