import type { RelayMetrics, WatchReading } from '../../../shared/telemetry/index.ts'

export interface WatchStatusOptions {
  readonly cluster: string
  readonly kind: string
  readonly metrics: RelayMetrics
  /** Milliseconds of a clock that never goes back; default `performance.now`. */
  readonly now?: () => number
}

/** State of one watch. Its handler counts what happens to it. */
export interface WatchStatus {
  listed(): void
  opened(): void
  received(): void
  bookmark(): void
  failed(): void
  recovered(): void
  /** Reads the state; the caller adds the number of objects. */
  reading(): Omit<WatchReading, 'objects'>
  /**
   * Returns the milliseconds since it last did anything, even if it failed; a loop that works is never idle
   * for long.
   */
  idleMs(): number
}

export function createWatchStatus({
  cluster,
  kind,
  metrics,
  now = () => performance.now(),
}: WatchStatusOptions): WatchStatus {
  const labels = { cluster, kind }
  let [isFailing, hasListed, hasOpened] = [false, false, false]
  let lastActivity = now()
  let lastByte: number | undefined
  let lastBookmark: number | undefined
  const active = (): number => {
    lastActivity = now()
    return lastActivity
  }
  const secondsSince = (moment: number | undefined): number | undefined =>
    moment === undefined ? undefined : (now() - moment) / 1000

  return {
    listed() {
      active()
      if (hasListed) metrics.count('relists', labels)
      hasListed = true
    },
    opened() {
      active()
      if (hasOpened) metrics.count('reconnects', labels)
      hasOpened = true
    },
    received() {
      lastByte = active()
    },
    bookmark() {
      lastBookmark = active()
    },
    failed() {
      active()
      isFailing = true
      metrics.count('watch_failures', labels)
    },
    recovered() {
      active()
      isFailing = false
    },
    reading: () => ({
      kind,
      failing: isFailing,
      secondsSinceLastByte: secondsSince(lastByte),
      secondsSinceLastBookmark: secondsSince(lastBookmark),
    }),
    idleMs: () => now() - lastActivity,
  }
}
