import { editBetween, isSealed, wasWrittenAs } from '../../../changes/index.ts'
import { type EndpointSlice, lastWriteOf } from '../../../endpointslice/index.ts'
import { FIELD_MANAGER } from '../../../kubernetes/index.ts'
import type { Changes } from '../../slice-changes.ts'
import { slicesByName } from '../published/published-addresses.ts'
import { ANNOTATION_REPAIRS, annotationOf, nameOf, withAnnotation } from '../published/slice-annotations.ts'
import { isStripped } from './deletion-fights.ts'
import { absenceLeft, type Repairs } from './fight-backoff.ts'
import { parseRepairs, quietLeft, repairedEdit, repairsText, type SliceRepairs } from './undone-edits.ts'

/** Others keep undoing what we write; for a while we do not write it again. */
export interface Fight {
  /** Slices that are left alone, by name, or other objects, as they are called in a text. */
  readonly slices: readonly string[]
  /** The other writer, by managedFields or, of another Sliceflow, by its seal; `undefined`: unknown. */
  readonly opponent: string | undefined
  /** Others undo our edits, delete slices or take off their annotations, or are another Sliceflow. */
  readonly kind: 'edits' | 'deletions' | 'writers'
  /** Until they are mended again, in milliseconds. */
  readonly quietMs: number
}

interface FightCheck {
  /** The plan's, those that mend an edit with their count. */
  readonly changes: Changes
  readonly fights: readonly Fight[]
}

interface FightEvidence {
  /** The slices as they were read. */
  readonly slices: readonly EndpointSlice[]
  /** Number of times that slices of ours were deleted. */
  readonly losses: Repairs | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
}

/**
 * Finds the slices of a plan that are to be left alone, as another writer undoes every repair of them. A
 * slice that others edited carries the count of its repairs. One that they delete cannot, so this process
 * remembers those.
 *
 * A repair writes again what we wrote last, as the seal says. Any other write is asked for by the Service,
 * its Pods or other slices. It is no repair, is not counted and never waits.
 */
export function checkFights(planned: Changes, { slices, losses, now }: FightEvidence): FightCheck {
  const before = slicesByName(slices)
  const foundOf = (some: readonly EndpointSlice[]): EndpointSlice[] =>
    some.flatMap((slice) => before.get(nameOf(slice)) ?? [])
  const fights: Fight[] = []
  /** Writes the count of repairs onto the slice. A write that is no repair keeps the count that is there. */
  function counted(write: EndpointSlice, found: EndpointSlice | undefined): EndpointSlice {
    if (found === undefined) return write
    if (!wasWrittenAs(found, write))
      return withAnnotation(write, ANNOTATION_REPAIRS, annotationOf(found, ANNOTATION_REPAIRS))
    const edit = editBetween(found, write)
    const repairs = repairsOf(found, now)
    const quietMs = repairs === undefined ? 0 : quietLeft(repairs, now, edit)
    const names = new Set([nameOf(found), nameOf(write)])
    if (quietMs > 0) fights.push({ slices: [...names], opponent: opponentOf(found), kind: 'edits', quietMs })
    return withAnnotation(write, ANNOTATION_REPAIRS, repairsText(repairedEdit(repairs, edit, now)))
  }
  const edited = slicesByName(foundOf(planned.update).filter(isEdited))
  const update = planned.update.map((slice) => counted(slice, edited.get(nameOf(slice))))
  // What was made another owner's is deleted, and made again under another name.
  const given = foundOf(planned.delete).filter(isEdited)
  const create = planned.create.map((slice) =>
    counted(
      slice,
      given.find((found) => wasWrittenAs(found, slice)),
    ),
  )
  const quietMs = losses === undefined ? 0 : absenceLeft(losses, now)
  const stripped = foundOf(update).filter(isStripped)
  const lost = [...create, ...stripped].map(nameOf)
  if (quietMs > 0 && lost.length > 0)
    fights.push({ slices: lost, opponent: stripped.map(opponentOf)[0], kind: 'deletions', quietMs })
  return { changes: { create, update, delete: planned.delete }, fights }
}

const repairsOf = (slice: EndpointSlice, now: number): SliceRepairs | undefined =>
  parseRepairs(annotationOf(slice, ANNOTATION_REPAIRS), now)

/**
 * Returns for how long an edit of the slice may be left alone, as it comes back after every repair. In
 * milliseconds from now; 0 if none comes back.
 */
export function quietOf(slice: EndpointSlice, now: number): number {
  const repairs = isEdited(slice) ? repairsOf(slice, now) : undefined
  return repairs === undefined ? 0 : quietLeft(repairs, now)
}

/** Reports whether others changed a slice that we wrote; one that was never ours does not count. */
const isEdited = (slice: EndpointSlice): boolean => !isStripped(slice) && !isSealed(slice)

const opponentOf = (slice: EndpointSlice): string | undefined =>
  lastWriteOf(slice, (manager) => manager !== FIELD_MANAGER)?.manager

/** Lists what is left alone; slices, whose names have no space, after a word for them. */
export const namedObjects = (word: string, objects: readonly string[]): string =>
  objects.some((name) => name.includes(' ')) ? objects.join(', ') : `${word} ${objects.join(', ')}`

/** Describes another Sliceflow by the name in its seals. */
export const otherSliceflow = (writer = '?'): string =>
  `another Sliceflow (writer ${writer}) with other settings or other ids of clusters`

/** Slices were left alone, since others undo every repair of them; the rest of the plan was written. */
export class SliceFightError extends Error {
  override readonly name = 'SliceFightError'
  readonly retryable = true
  readonly failureClass = 'Conflict'
  /** Until the first of them is mended again. */
  readonly retryAfterSeconds: number

  /** @param service `namespace/name` */
  constructor(service: string, fights: readonly Fight[]) {
    const objects = namedObjects(
      'slices',
      fights.flatMap((fight) => fight.slices),
    )
    const opponents = fights.flatMap(({ opponent, kind }) => {
      if (kind === 'writers') return [otherSliceflow(opponent)]
      return opponent === undefined ? [] : [opponent]
    })
    const by = opponents.length === 0 ? 'somebody' : [...new Set(opponents)].join(', ')
    const seconds = Math.ceil(Math.min(...fights.map(({ quietMs }) => quietMs)) / 1000)
    super(
      `failed to repair ${objects} of Service ${service}: ${by} keeps undoing it; they are left alone for ${seconds} s`,
    )
    this.retryAfterSeconds = seconds
  }
}
