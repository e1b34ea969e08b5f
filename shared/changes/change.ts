import type { ServiceKey } from './key.ts'

/** A key with what is known of its cause. */
export interface Change extends ServiceKey {
  /** RFC 3339: the earliest of the changes that this stands for. */
  readonly triggerTime?: string
  /** The newest version of a Pod that the relay saw for the key. */
  readonly resourceVersion?: string
}

/** One change that stands for both. The keys must be equal. */
export function mergeChanges(a: Change, b: Change): Change {
  return {
    ...a,
    triggerTime: earliest(a.triggerTime, b.triggerTime),
    resourceVersion: newest(a.resourceVersion, b.resourceVersion),
  }
}

function earliest(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return Date.parse(a) <= Date.parse(b) ? a : b
}

/** Versions are compared as decimal numbers of any length (KEP-5504: they are comparable). */
function newest(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return a.length === b.length ? (a > b ? a : b) : a.length > b.length ? a : b
}
