import type { RelayMetrics, WatchReading } from '../../../shared/telemetry/index.ts'

interface WatchStatusOptions {
  readonly cluster: string
  readonly kind: string
  readonly metrics: RelayMetrics
  /** Milliseconds of a clock that never goes back; default `performance.now`. */
  readonly now?: () => number
}

export type WatchStatus = ReturnType<typeof createWatchStatus>

/** Creates the state of one watch. Its handler counts what happens to it. */
export function createWatchStatus({
  cluster,
  kind,
  metrics,
  now = () => performance.now(),
}: WatchStatusOptions) {
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
    listed(): void {
      active()
      if (hasListed) metrics.count('relists', labels)
      hasListed = true
    },
    opened(): void {
      active()
      if (hasOpened) metrics.count('reconnects', labels)
      hasOpened = true
    },
    received(): void {
      lastByte = active()
    },
    bookmark(): void {
      lastBookmark = active()
    },
    failed(): void {
      active()
      isFailing = true
      metrics.count('watch_failures', labels)
    },
    recovered(): void {
      active()
      isFailing = false
    },
    /** Reads the state; the caller adds the number of objects. */
    reading: (): Omit<WatchReading, 'objects'> => ({
      kind,
      failing: isFailing,
      secondsSinceLastByte: secondsSince(lastByte),
      secondsSinceLastBookmark: secondsSince(lastBookmark),
    }),
    /** Milliseconds since it last did anything, even if it failed; a loop that works is never idle long. */
    idleMs: (): number => now() - lastActivity,
  }
}
