import * as fc from 'fast-check'
import { testCases } from './arbitrary/index.ts'
import { differencesIn } from './differences.ts'
import { describeFinding } from './report.ts'
import type { Upstream } from './upstream.ts'

export interface GeneratedOptions {
  readonly count: number
  /** The same seed and count give the same cases. */
  readonly seed: number
  /** Called after every compared case. */
  readonly report?: (compared: number) => void
}

/**
 * A case that differs takes upstream's full number of runs, a second or so, and making it smaller takes many
 * such cases.
 */
const SHRINK_MS = 30_000

/**
 * Compares generated cases.
 * @throws Error that describes the first case that differs, made as small as possible, or one of upstream
 */
export async function compareGenerated(
  upstream: Upstream,
  { count, seed, report = () => {} }: GeneratedOptions,
): Promise<void> {
  let compared = 0
  let deadline = Number.POSITIVE_INFINITY
  const property = fc.asyncProperty(testCases, async (testCase) => {
    if (performance.now() > deadline) return
    const differences = await differencesIn(testCase, upstream)
    if (deadline === Number.POSITIVE_INFINITY) report(++compared)
    if (differences.length === 0) return
    // From here on, fast-check tries smaller cases.
    deadline = Math.min(deadline, performance.now() + SHRINK_MS)
    throw new Error(describeFinding(testCase, differences))
  })
  const { errorInstance } = await fc.check(property, { seed, numRuns: count })
  if (errorInstance !== null) throw errorInstance
}
