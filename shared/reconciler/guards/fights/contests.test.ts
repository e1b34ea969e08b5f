import { describe, expect, it } from 'vitest'
import { sealedBy } from '../../../changes/index.ts'
import { addresses, slice } from '../slices.fixtures.ts'
import { type Contest, Contests, contestOf, otherSliceflowAs, otherWriter } from './contests.ts'

const MINUTE = 60_000

function openContests() {
  let now = 0
  const contests = new Contests(() => now)
  const contest = (wanted: string, by: string | undefined = 'them'): Contest => ({
    ...{ of: 'shop/web', slices: ['a'], replaces: otherSliceflowAs(by) },
    wanted: () => wanted,
  })
  return {
    contest,
    wait(ms: number) {
      now += ms
    },
    write: (one: Contest, times = 1) => {
      for (let count = 0; count < times; count++) contests.wrote(one)
    },
    quietOf: (one: Contest) => contests.fight(one)?.quietMs ?? 0,
    fight: (one: Contest) => contests.fight(one),
  }
}

describe('a plan that another Sliceflow undoes', () => {
  it('is written five times, and then at growing intervals', () => {
    const { contest, write, quietOf, wait, fight } = openContests()
    const own = contest('ours')
    for (let count = 0; count < 5; count++) {
      expect(quietOf(own)).toBe(0)
      write(own)
    }
    expect(fight(own)).toEqual({ kind: 'writers', opponent: 'them', slices: ['a'], quietMs: 30_000 })
    wait(30_000)
    expect(quietOf(own)).toBe(0)
    write(own)
    expect(quietOf(own)).toBe(MINUTE)
    wait(MINUTE)
    write(own, 6)
    expect(quietOf(own)).toBe(10 * MINUTE)
  })

  it('is written at once after a clock was set back', () => {
    const { contest, write, quietOf, wait } = openContests()
    write(contest('ours'), 9)
    wait(-MINUTE)
    expect(quietOf(contest('ours'))).toBe(0)
    write(contest('ours'), 5)
    expect(quietOf(contest('ours'))).toBe(30_000)
  })

  it('is no fight of another Service, of other content, or where nobody has undone it', () => {
    const { contest, write, quietOf } = openContests()
    write(contest('ours'), 9)
    expect(quietOf({ ...contest('ours'), of: 'shop/api' })).toBe(0)
    expect(quietOf(contest('a real change'))).toBe(0)
    expect(quietOf({ ...contest('ours'), replaces: undefined })).toBe(0)
  })

  it('counts in a row: not beyond a real change, whoever it replaces, and not after a long time', () => {
    for (const by of ['them', undefined]) {
      const { contest, write, quietOf } = openContests()
      write(contest('ready'), 4)
      write({ ...contest('unready'), replaces: otherSliceflowAs(by) })
      write(contest('ready'), 4)
      expect(quietOf(contest('ready'))).toBe(0)
    }
    const { contest, write, quietOf, wait } = openContests()
    write(contest('ours'), 5)
    wait(11 * MINUTE)
    write(contest('ours'))
    expect(quietOf(contest('ours'))).toBe(0)
  })
})

describe('the contest of a plan', () => {
  const ours = sealedBy('us')(slice('a', { addresses: addresses(2) }))
  const theirs = sealedBy('them')(slice('b', { addresses: addresses(3) }))
  const wantedOf = (create: Parameters<typeof contestOf>[2]['create']): string =>
    contestOf('x', [], { create, update: [], delete: [] }, 'us').wanted()

  it('is with whoever wrote what it replaces, and with nobody for slices that it leaves alone', () => {
    const changes = { create: [], update: [ours], delete: [] }
    expect(contestOf('x', [ours, theirs], changes, 'us').replaces).toBeUndefined()
    for (const plan of [
      { ...changes, update: [theirs] },
      { ...changes, delete: [theirs] },
    ])
      expect(contestOf('x', [ours, theirs], plan, 'us').replaces?.by).toBe('them')
  })

  it('is not with people who edited a slice, nor with one that nobody sealed', () => {
    const edited = { ...theirs, endpoints: [] }
    expect(otherWriter([edited, slice('c'), ours], 'us')).toBeUndefined()
  })

  it('wants the same whatever names and order its slices have', () => {
    const [a, b] = [slice('a', { addresses: addresses(1) }), slice('b', { addresses: addresses(2) })]
    expect(wantedOf([a, b])).toBe(wantedOf([{ ...b, metadata: { ...b.metadata, name: 'c' } }, a]))
    expect(wantedOf([a, b])).not.toBe(wantedOf([a]))
  })
})
