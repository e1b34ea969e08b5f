const INTERVAL_MS = 1_000

/** Tells on standard error how far something is that takes longer than a second, once a second. */
export interface Progress {
  tell(text: string): void
}

export function createProgress(write: (line: string) => void, now = () => performance.now()): Progress {
  let toldAt = now()
  return {
    tell(text) {
      if (now() - toldAt < INTERVAL_MS) return
      toldAt = now()
      write(`${text}\n`)
    },
  }
}
