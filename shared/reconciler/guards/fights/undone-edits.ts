import { pastTime } from '../published/slice-annotations.ts'
import { FADING_MS, quietTime, type Repairs } from './fight-backoff.ts'

/** Number of times in a row that edits of a slice were undone. */
export interface SliceRepairs extends Repairs {
  /** Number of times that each edit was undone, the latest edit first. */
  readonly edits: ReadonlyMap<string, number>
}

/** Up to this number of repairs of different edits there is no fight, even if one edit is repeated. */
const TOLERATED_IN_ALL = 50
/** Maximum number of edits that are distinguished. */
const MAX_EDITS = 16

/** Milliseconds for which an edit is not undone again; default: the edit that was undone most often. */
export function quietLeft({ count, last, edits }: SliceRepairs, now: number, edit?: string): number {
  const same = edit === undefined ? Math.max(0, ...edits.values()) : (edits.get(edit) ?? 0)
  return Math.max(0, last + Math.max(quietTime(same), quietTime(count, TOLERATED_IN_ALL)) - now)
}

export function repairedEdit(before: SliceRepairs | undefined, edit: string, now: number): SliceRepairs {
  if (before === undefined || hasFaded(before, now))
    return { count: 1, last: now, edits: new Map([[edit, 1]]) }
  const latest = [edit, (before.edits.get(edit) ?? 0) + 1] as const
  const others = [...before.edits].filter(([other]) => other !== edit)
  return {
    count: before.count + 1,
    last: now,
    edits: new Map([latest, ...others].slice(0, MAX_EDITS)),
  }
}

const hasFaded = (repairs: SliceRepairs, now: number): boolean => quietLeft(repairs, now - FADING_MS) === 0

/** Formats the count for the note: `3 2026-01-01T00:00:00.000Z 4fJx_0aB:2 Xk29-bQc:1`. */
export function repairsText({ count, last, edits }: SliceRepairs): string {
  const counts = [...edits].map(([edit, times]) => `${edit}:${times}`)
  return [count, new Date(last).toISOString(), ...counts].join(' ')
}

/** @returns `undefined` for what is no such text, and for a time that is still to come */
export function parseRepairs(text: string | undefined, now: number): SliceRepairs | undefined {
  const [count = '', time, ...counts] = (text ?? '').split(' ')
  const last = pastTime(time, now)
  if (last === undefined || !isCount(count)) return undefined
  const edits = counts.map((each) => each.split(':')).filter(([, times = '']) => isCount(times))
  return {
    count: Number(count),
    last,
    edits: new Map(edits.map(([edit = '', times]) => [edit, Number(times)])),
  }
}

const isCount = (text: string): boolean => /^[1-9]\d{0,5}$/.test(text)
