const DAY_MS = 86_400_000

/** Chooses how an axis writes times, in UTC: with the day if there are several. */
export function clockOf(firstMs: number, lastMs: number): (time: Date) => string {
  const isLong = lastMs - firstMs > DAY_MS
  const [from, to] = isLong ? [5, 16] : lastMs - firstMs > 600_000 ? [11, 16] : [11, 19]
  return (time) => time.toISOString().slice(from, to).replace('T', ' ')
}
