/** A seeded source of choices: the same seed gives the same choices. */
export interface Random {
  /** Draws a number from 0 to below 1. */
  fraction(): number
  /** Draws an integer from 0 to below `limit`. */
  below(limit: number): number
  /** Returns true with this probability. */
  chance(probability: number): boolean
  /** Draws one of the items. Returns undefined if there are none. */
  pick<T>(items: readonly T[]): T | undefined
  /** Returns a copy in random order; all orders are equally likely. */
  shuffled<T>(items: readonly T[]): T[]
  /** Draws the time until the next random event, with this mean. The unit is that of `mean`. */
  exponential(mean: number): number
}

/**
 * Creates a generator by mulberry32, which has 32 bits of state: enough to generate workloads.
 * @example
 * ```ts
 * createRandom(7).below(100) // => createRandom(7).below(100)
 * ```
 */
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
