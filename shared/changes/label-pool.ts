export type Labels = Readonly<Record<string, string>>

/** Equal label sets are kept once: the pods of a Deployment share theirs. */
export interface LabelPool {
  acquire(labels: Labels | undefined): Labels
  /** Gives back what `acquire` returned. */
  release(labels: Labels): void
  readonly size: number
}

export function createLabelPool(): LabelPool {
  const pool = new Map<string, { labels: Labels; users: number }>()
  const textOf = (labels: Labels): string => JSON.stringify(Object.entries(labels).sort())
  return {
    acquire(labels = {}) {
      const text = textOf(labels)
      const shared = pool.get(text) ?? { labels, users: 0 }
      shared.users++
      pool.set(text, shared)
      return shared.labels
    },
    release(labels) {
      const text = textOf(labels)
      const shared = pool.get(text)
      if (shared !== undefined && --shared.users === 0) pool.delete(text)
    },
    get size() {
      return pool.size
    },
  }
}
