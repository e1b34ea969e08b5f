import { describe, expect, it } from 'vitest'
import { ANNOTATION_RELEASE, isSealed } from '../../changes/index.ts'
import type { Service } from '../../endpointslice/index.ts'
import { handoverEvent, handoverOf } from './handover.ts'
import { ANNOTATION_HELD_SINCE, annotationOf } from './published/slice-annotations.ts'
import { addresses, ago, changes, NOW, service, slice } from './slices.fixtures.ts'

/** Returns a Service that mode `replace` would keep slices for. */
const withSelector = (annotations: Record<string, string> = {}): Service => ({
  ...service(annotations),
  spec: { selector: { app: 'web' } },
})
const ours = slice('ours', { addresses: addresses(2), unready: addresses(1, 3) })
const held = slice('ours', { addresses: addresses(2), annotations: { [ANNOTATION_HELD_SINCE]: ago(90_000) } })
const leftBehind = { service: withSelector(), slices: [ours], everybodys: [ours], mode: 'custom' } as const

describe('slices that this mode would delete and the other would keep', () => {
  it('stay, with a note that leaves the seal as it is', () => {
    const handover = handoverOf(leftBehind, NOW)

    expect(handover).toMatchObject({ kind: 'held', since: ago(0), changes: { create: [], delete: [] } })
    if (handover.kind !== 'held') return
    const [noted] = handover.changes.update
    expect(noted && annotationOf(noted, ANNOTATION_HELD_SINCE)).toBe(ago(0))
    expect(noted && isSealed(noted)).toBe(true)
  })

  it('stay for however long, and nothing more is written', () => {
    const handover = handoverOf({ ...leftBehind, slices: [held], everybodys: [held] }, NOW)
    expect(handover).toEqual({ kind: 'held', since: ago(90_000), changes: changes() })
  })

  it.each([
    ['the time of the hold', ago(90_000), 'done'],
    ['another time', ago(1), 'held'],
  ])('with a release that names %s are %s', (_what, release, kind) => {
    const released = withSelector({ [ANNOTATION_RELEASE]: release })
    expect(handoverOf({ ...leftBehind, service: released, slices: [held] }, NOW).kind).toBe(kind)
  })

  it.each([
    ['go when others publish all of their ready addresses', addresses(2), 'done'],
    ['stay when others publish some of them', addresses(1), 'held'],
    ['stay when others publish none of them', [], 'held'],
  ])('%s', (_what, published, kind) => {
    const others = slice('theirs', { addresses: published })
    expect(handoverOf({ ...leftBehind, everybodys: [ours, others] }, NOW).kind).toBe(kind)
  })

  it('go when they publish nothing that is ready', () => {
    const empty = slice('ours', { unready: addresses(2) })
    expect(handoverOf({ ...leftBehind, slices: [empty], everybodys: [empty] }, NOW).kind).toBe('done')
  })
})

describe('slices that neither mode would keep', () => {
  it('go, as somebody said so on the Service', () => {
    expect(handoverOf({ ...leftBehind, service: service() }, NOW)).toEqual({ kind: 'done' })
  })
})

it.each([
  ['custom', 'replace'],
  ['replace', 'custom'],
] as const)(
  'the Event over slices that mode %s would delete names mode %s, which would keep them',
  (mode, other) => {
    expect(handoverEvent(ago(60), [], mode).message).toMatch(
      new RegExp(`^mode ${mode} would delete the slices, which mode ${other} would keep,`),
    )
  },
)
