import { describe, expect, it } from 'vitest'
import { ANNOTATION_SEAL } from '../../../changes/index.ts'
import type { EndpointSlice } from '../../../endpointslice/index.ts'
import { ANNOTATION_REPAIRS, annotationOf, withAnnotation } from '../published/slice-annotations.ts'
import { addresses, ago, changes, NOW, slice } from '../slices.fixtures.ts'
import { checkFights, quietOf, SliceFightError } from './fights.ts'

const WRITTEN = slice('a', { addresses: addresses(1) })
const BOGUS = { endpoints: [{ addresses: ['6.6.6.6'] }] }

/** Returns slice `a` as somebody else left it. */
function edited(
  edit: Partial<EndpointSlice> = BOGUS,
  annotations: Record<string, string> = {},
): EndpointSlice {
  const managedFields = [
    { manager: 'sliceflow', time: ago(1) },
    { manager: 'kubectl-edit', time: ago(900) },
    { manager: 'mesh-operator', time: ago(5) },
  ]
  const metadata = {
    ...WRITTEN.metadata,
    managedFields,
    annotations: { ...WRITTEN.metadata?.annotations, ...annotations },
  }
  return { ...WRITTEN, metadata, ...edit }
}

/** Returns the update of a slice that was found: new content, and the metadata that it had. */
const update = (found: EndpointSlice, content: EndpointSlice = WRITTEN): EndpointSlice => ({
  ...content,
  metadata: found.metadata,
})

const check = (found: EndpointSlice, content?: EndpointSlice, now = NOW) =>
  checkFights(changes({ update: [update(found, content)] }), { slices: [found], losses: undefined, now })

const noteIn = ({ changes: { update, create } }: ReturnType<typeof check>): string =>
  [...update, ...create].map((one) => annotationOf(one, ANNOTATION_REPAIRS) ?? '').join()

/**
 * Makes the same edit again after each of `times` repairs, a second apart. Returns what is left in the end.
 */
function afterRepairs(times: number, edit: Partial<EndpointSlice> = BOGUS): EndpointSlice {
  let found = edited(edit)
  for (let repair = 0; repair < times; repair++)
    found = edited(edit, {
      [ANNOTATION_REPAIRS]: noteIn(check(found, WRITTEN, NOW - (times - repair) * 1000)),
    })
  return found
}

describe('a slice that somebody else edited', () => {
  it('is mended, and carries the count of its repairs', () => {
    expect(noteIn(check(edited()))).toMatch(/^1 2026-01-01T12:00:00.000Z [-\w]{8}:1$/)
    expect(noteIn(check(afterRepairs(3)))).toMatch(/^4 2026-01-01T12:00:00.000Z [-\w]{8}:4$/)
    expect(check(afterRepairs(4)).fights).toEqual([])
  })

  it('is left alone after five repairs of the same edit, and the other writer is named', () => {
    expect(check(afterRepairs(5)).fights).toEqual([
      { slices: ['a'], opponent: 'mesh-operator', kind: 'edits', quietMs: 29_000 },
    ])
  })

  it.each<[string, EndpointSlice]>([
    ['pods', slice('a', { addresses: addresses(2) })],
    ['ports', slice('a', { addresses: addresses(1), port: 81 })],
  ])('is written at once, and counts no repair, where the Service has other %s now', (_what, content) => {
    const found = afterRepairs(9)
    const result = check(found, content)
    expect(result.fights).toEqual([])
    expect(noteIn(result)).toBe(annotationOf(found, ANNOTATION_REPAIRS))
  })

  it('is written at once where a webhook puts a label on it each time, and only the label waits', () => {
    const labelled = (content: EndpointSlice, repairs: string): EndpointSlice => {
      const { labels, annotations } = content.metadata ?? {}
      const metadata = { ...content.metadata, labels: { ...labels, mesh: ago(Math.random()) } }
      return {
        ...content,
        metadata: { ...metadata, annotations: { ...annotations, [ANNOTATION_REPAIRS]: repairs } },
      }
    }
    let repairs = ''
    let waiting = 0
    for (let pods = 1; pods <= 20; pods++) {
      const content = slice('a', { addresses: addresses(pods) })
      const before = slice('a', { addresses: addresses(pods - 1) })
      expect(check(labelled(before, repairs), content).fights).toEqual([])
      const again = checkFights(changes({ update: [content] }), {
        slices: [labelled(content, repairs)],
        losses: undefined,
        now: NOW + pods * 1000,
      })
      waiting += again.fights.length
      if (again.fights.length === 0) repairs = noteIn(again)
    }
    expect([repairs.slice(0, 1), waiting]).toEqual(['5', 15])
  })

  it('is left alone after five times that it was made another owner’s, and so is the one in its place', () => {
    const made = slice('b', { addresses: addresses(1) })
    const replace = (repairs: string) => {
      const found = edited(BOGUS, { [ANNOTATION_REPAIRS]: repairs })
      const plan = changes({ create: [made], delete: [found] })
      return checkFights(plan, { slices: [found], losses: undefined, now: NOW })
    }
    let repairs = ''
    for (let times = 0; times < 5; times++) repairs = noteIn(replace(repairs))
    expect(replace(repairs).fights).toMatchObject([{ slices: ['a', 'b'], kind: 'edits', quietMs: 30_000 }])
  })

  it('names whoever wrote last, whatever order the writers are given in, and one without a time last', () => {
    const opponentAmong = (...managedFields: { manager: string; time?: string }[]): string | undefined => {
      const found = afterRepairs(5)
      const reported = { ...found, metadata: { ...found.metadata, managedFields } }
      return check(reported as EndpointSlice).fights[0]?.opponent
    }
    const [early, late] = [
      { manager: 'early', time: ago(90) },
      { manager: 'late', time: ago(9) },
    ]
    expect(opponentAmong(early, late)).toBe('late')
    expect(opponentAmong(late, early)).toBe('late')
    expect(opponentAmong({ manager: 'timeless' }, early)).toBe('early')
    expect(opponentAmong(early, { manager: 'timeless' })).toBe('early')
    expect(opponentAmong({ manager: 'timeless' })).toBe('timeless')
    expect(opponentAmong()).toBeUndefined()
  })
})

describe('a slice that nobody else edited', () => {
  it.each([
    ['as we left it', slice('a')],
    ['that was never ours', { ...edited(), metadata: { name: 'a', annotations: {} } }],
  ])('%s gets no count', (_what, found) => {
    expect(noteIn(check(found))).toBe('')
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

  it('are made again when their quiet time is over, and not before', () => {
    const at = (seconds: number) =>
      checkFights(plan, { ...evidence, losses: { count: 5, last: NOW - seconds * 1000 } }).fights
    expect(at(29)).toMatchObject([{ quietMs: 1_000 }])
    expect(at(30)).toEqual([])
  })

  it('are no fight where nothing is to be made', () => {
    const updates = changes({ update: [slice('c')] })
    expect(checkFights(updates, { ...evidence, losses: { count: 5, last: NOW } }).fights).toEqual([])
  })
})

describe('how long an edit may be left alone', () => {
  it('reports a slice whose edit comes back, for as long as that is', () => {
    expect(quietOf(afterRepairs(5), NOW)).toBe(29_000)
    expect(quietOf(afterRepairs(5), NOW + 29_000)).toBe(0)
    expect(quietOf(afterRepairs(4), NOW)).toBe(0)
  })

  it('is no time for a slice as we left it, for one that was never ours, and for one that was never mended', () => {
    const note = annotationOf(afterRepairs(5), ANNOTATION_REPAIRS)
    const asWeLeftIt = withAnnotation(slice('a', { addresses: addresses(1) }), ANNOTATION_REPAIRS, note)
    const stripped = withAnnotation(afterRepairs(5), ANNOTATION_SEAL, undefined)
    expect([asWeLeftIt, stripped, edited()].map((found) => quietOf(found, NOW))).toEqual([0, 0, 0])
  })
})

it('a key that fails with fights says with whom, each once, and comes back for the first that ends', () => {
  const fight = { kind: 'edits', opponent: undefined } as const
  const error = new SliceFightError('shop/web', [
    { ...fight, slices: ['a'], opponent: 'kubectl', quietMs: 60_000 },
    { ...fight, slices: ['b'], quietMs: 29_001 },
    { ...fight, slices: ['c'], opponent: 'kubectl', quietMs: 240_000 },
  ])
  expect(error).toMatchObject({ retryable: true, retryAfterSeconds: 30, failureClass: 'Conflict' })
  expect(error.message).toContain('slices a, b, c of Service shop/web: kubectl keeps undoing it')
  const unknown = new SliceFightError('shop/web', [{ ...fight, slices: ['a'], quietMs: 1 }])
  expect(unknown.message).toContain('somebody keeps undoing it')
})
