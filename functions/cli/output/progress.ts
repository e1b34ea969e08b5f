const INTERVAL_MS = 1_000

/** Reports how far something is that takes longer than a second, once a second. */
export interface Progress {
  report(text: string): void
}

export function createProgress(write: (line: string) => void, now = () => performance.now()): Progress {
  let reportedAt = now()
  return {
    report(text) {
      if (now() - reportedAt < INTERVAL_MS) return
      reportedAt = now()
      write(`${text}\n`)
    },
  }
}
