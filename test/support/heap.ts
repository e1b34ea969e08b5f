import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** Collects at once what nothing refers to any more. */
export const collectGarbage: () => void = runInNewContext('gc')

/**
 * Measures the bytes that are referred to. They vary by some 20 kB from call to call though nothing is
 * retained.
 */
export function heapUsed(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

const TIMES = 3

/**
 * Returns the bytes by which the heap grows with each play: the least of three. A leak grows with each of
 * them, compiled code and what other tests of this process left behind but once.
 * @param play called with 1, 2 and 3
 */
export function heapGrowth(play: (time: number) => void): number {
  const growths = Array.from({ length: TIMES }, (_, index) => {
    const before = heapUsed()
    play(index + 1)
    return heapUsed() - before
  })
  return Math.min(...growths)
}
