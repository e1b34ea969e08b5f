/** A seeded source of choices: the same seed gives the same choices. */
export interface Random {
  /** At least 0, less than 1. */
  fraction(): number
  /** At least 0, less than `limit`. */
  below(limit: number): number
  /** True this often: 0.25 is every fourth time. */
  chance(probability: number): boolean
  /** One of the items; undefined if there are none. */
  pick<T>(items: readonly T[]): T | undefined
  /** A copy in another order, each as likely. */
  shuffled<T>(items: readonly T[]): T[]
  /** How long until something that comes about so often by chance comes next, in the same unit. */
  exponential(mean: number): number
}

/** mulberry32: 32 bits of state, good enough to draw work with. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(fraction() * limit)
  return {
    fraction,
    below,
    chance: (probability) => fraction() < probability,
    pick: (items) => items[below(items.length)],
    shuffled<T>(items: readonly T[]) {
      const left = [...items]
      const order: T[] = []
      while (left.length > 0) {
        const chosen = below(left.length)
        const last = left.length - 1
        order.push(left[chosen] as T)
        left[chosen] = left[last] as T
        left.pop()
      }
      return order
    },
    exponential: (mean) => -mean * Math.log(1 - fraction()),
  }
}
