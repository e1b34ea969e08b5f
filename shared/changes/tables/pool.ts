export type Labels = Readonly<Record<string, string>>

/** Equal values are stored once: the pods of a Deployment share theirs. */
export interface Pool<Value> {
  acquire(value: Value): Value
  /** Gives back what `acquire` returned. */
  release(value: Value): void
  readonly size: number
}

export const createLabelPool = (): Pool<Labels> =>
  createPool((labels) => JSON.stringify(Object.entries(labels).sort()))

/** @param textOf the same for two values exactly when they are equal */
export function createPool<Value>(textOf: (value: Value) => string): Pool<Value> {
  const pool = new Map<string, { value: Value; users: number }>()
  return {
    acquire(value) {
      const text = textOf(value)
      const shared = pool.get(text) ?? { value, users: 0 }
      shared.users++
      pool.set(text, shared)
      return shared.value
    },
    release(value) {
      const text = textOf(value)
      const shared = pool.get(text)
      if (shared !== undefined && --shared.users === 0) pool.delete(text)
    },
    get size() {
      return pool.size
    },
  }
}
