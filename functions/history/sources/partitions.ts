/** Requested part of a recording, as far as the keys of its objects show. */
export interface Wanted {
  /** Absent: any. */
  readonly cluster?: string | undefined
  /** Milliseconds since the epoch; absent: from the first day on, and up to the last. */
  readonly since?: number | undefined
  readonly until?: number | undefined
}

const PARTITION = /^(.*\/)?([a-z]+)=([^/]*)\/$/
const DAY_MS = 86_400_000

/**
 * Reports whether a prefix may have something of it: one that ends with `day=2026-03-01/` or `cluster=NAME/`
 * has nothing of other days and clusters. What was recorded before midnight may have been handed over after
 * it, so a day more on either side is wanted.
 */
export function isWanted(prefix: string, { cluster, since, until }: Wanted): boolean {
  const [, , name, value = ''] = PARTITION.exec(prefix) ?? []
  if (name === 'cluster') return cluster === undefined || decoded(value) === cluster
  if (name !== 'day') return true
  const day = Date.parse(value)
  if (Number.isNaN(day)) return true
  const isTooOld = since !== undefined && day + 2 * DAY_MS <= since
  const isTooNew = until !== undefined && day - DAY_MS > until
  return !isTooOld && !isTooNew
}

/** Decodes a URI component. A text that is none is taken as it stands. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
