import { type Change, mergeChanges } from './change.ts'

/** A change that waits to be sent. */
export interface WaitingChange {
  readonly change: Change
  /** Time of the first of the changes that this stands for, by the clock of the options. */
  readonly since: number
}

/** Merges what there is of the two. */
export function mergeWaiting(known: WaitingChange | undefined, later: WaitingChange): WaitingChange
export function mergeWaiting(known: WaitingChange, later: WaitingChange | undefined): WaitingChange
export function mergeWaiting(
  known: WaitingChange | undefined,
  later: WaitingChange | undefined,
): WaitingChange | undefined
export function mergeWaiting(
  known: WaitingChange | undefined,
  later: WaitingChange | undefined,
): WaitingChange | undefined {
  if (known === undefined || later === undefined) return known ?? later
  return {
    change: mergeChanges(known.change, later.change),
    since: Math.min(known.since, later.since),
  }
}
