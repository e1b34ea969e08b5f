/** Formats a span of time as people say it: `140 ms`, `1.1 s`, `95 s`, `5 min`, `3 h`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${ms} ms`
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`
}
