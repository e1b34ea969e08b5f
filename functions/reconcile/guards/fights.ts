import { isSealed } from '../../../shared/changes/index.ts'
import type { EndpointSlice } from '../../../shared/endpointslice/index.ts'
import type { Changes } from '../write-slices.ts'
import { isStripped } from './lost-slices.ts'
import { slicesByName } from './published.ts'
import { absenceLeft, parseRepairs, quietTimeLeft, type Repairs, repaired, repairsText } from './repairs.ts'
import { ANNOTATION_REPAIRS, annotationOf, nameOf, withAnnotation } from './slice-annotations.ts'

/** Others keep undoing what we write; for a while we do not write it again. */
export interface Fight {
  /** Slices that are left alone. */
  readonly slices: readonly string[]
  /** Who wrote one of them last beside us, from its managedFields; `undefined` where they do not tell. */
  readonly opponent: string | undefined
  /** What is undone: the content, or the slices themselves or their annotations. */
  readonly kind: 'edits' | 'deletions'
  /** Until they are mended again, in milliseconds. */
  readonly quietMs: number
}

export interface FightCheck {
  /** The plan's, those that mend an edit with their count. */
  readonly changes: Changes
  readonly fights: readonly Fight[]
}

export interface FightEvidence {
  /** As they were read. */
  readonly slices: readonly EndpointSlice[]
  /** How often slices of ours were lost. */
  readonly losses: Repairs | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
}

/**
 * Which slices of a plan are to be left alone, since somebody else undoes every repair of them. A slice that others
 * edited carries the count of its repairs; one that they delete cannot, so this process remembers those.
 */
export function checkFights(changes: Changes, { slices, losses, now }: FightEvidence): FightCheck {
  const before = slicesByName(slices)
  const fights: Fight[] = []
  const update = changes.update.map((slice) => {
    const found = before.get(nameOf(slice))
    if (found === undefined || !isEdited(found)) return slice
    const repairs = repairsOf(found)
    const quietMs = quietOf(found, now)
    if (quietMs > 0)
      fights.push({ slices: [nameOf(found)], opponent: opponentOf(found), kind: 'edits', quietMs })
    return withAnnotation(slice, ANNOTATION_REPAIRS, repairsText(repaired(repairs, now)))
  })
  const quietMs = losses === undefined ? 0 : absenceLeft(losses, now)
  const stripped = changes.update.flatMap((slice) => {
    const found = before.get(nameOf(slice))
    return found !== undefined && isStripped(found) ? [found] : []
  })
  const lost = [...changes.create, ...stripped].map(nameOf)
  if (quietMs > 0 && lost.length > 0)
    fights.push({ slices: lost, opponent: stripped.map(opponentOf)[0], kind: 'deletions', quietMs })
  return { changes: { ...changes, update }, fights }
}

const repairsOf = (slice: EndpointSlice): Repairs | undefined =>
  parseRepairs(annotationOf(slice, ANNOTATION_REPAIRS))

/** How long a slice is left alone from now on, since somebody edits it after every repair; in milliseconds, 0 where nobody does. */
export function quietOf(slice: EndpointSlice, now: number): number {
  const repairs = isEdited(slice) ? repairsOf(slice) : undefined
  return repairs === undefined ? 0 : quietTimeLeft(repairs, now)
}

/** Of a slice that was never ours, such as one that is taken over, nothing was undone. */
const isEdited = (slice: EndpointSlice): boolean => !isStripped(slice) && !isSealed(slice)

/** The API server calls a client by the beginning of its User-Agent (apiserver, managerOrUserAgent). */
const OURSELVES = 'sliceflow'

function opponentOf({ metadata }: EndpointSlice): string | undefined {
  const others = (metadata?.managedFields ?? []).filter(({ manager }) => manager !== OURSELVES)
  return others.sort((a, b) => ((a.time ?? '') < (b.time ?? '') ? 1 : -1))[0]?.manager
}

/** Slices were left alone, since others undo every repair of them; the rest of the plan was written. */
export class SliceFightError extends Error {
  override readonly name = 'SliceFightError'
  readonly retryable = true
  readonly failureClass = 'Conflict'
  /** Until the first of them is mended again. */
  readonly retryAfterSeconds: number

  /** @param service `namespace/name` */
  constructor(service: string, fights: readonly Fight[]) {
    const slices = fights.flatMap((fight) => fight.slices).join(', ')
    const opponents = fights.flatMap(({ opponent }) => (opponent === undefined ? [] : [opponent]))
    const by = opponents.length === 0 ? 'somebody' : [...new Set(opponents)].join(', ')
    const seconds = Math.ceil(Math.min(...fights.map(({ quietMs }) => quietMs)) / 1000)
    super(
      `failed to mend slices ${slices} of Service ${service}: ${by} keeps undoing it; they are left alone for ${seconds} s`,
    )
    this.retryAfterSeconds = seconds
  }
}
