import { compare, type Difference } from './compare/index.ts'
import { ourOutcome } from './ours.ts'
import type { Outcome, TestCase } from './test-case.ts'
import type { Upstream } from './upstream.ts'

/**
 * Number of times that upstream is asked before a case counts as different. It chooses by the order of a Go
 * map, in which an entry of two comes second about one time in eight, and a case may have several such
 * choices.
 */
const RUNS = [2, 30, 300, 1000]
/** So many runs without a new outcome tell that there is no other. */
const SURE_AFTER = 300

/** Returns what plan() does in this case and upstream does in none of its many runs. */
export async function differencesIn(testCase: TestCase, upstream: Upstream): Promise<Difference[]> {
  let ours: Outcome
  try {
    ours = ourOutcome(testCase)
  } catch (error) {
    return [{ aspect: 'crash', addressType: '', onlyUpstream: [], onlyOurs: [String(error)] }]
  }
  const seen = new Map<string, Outcome>()
  let differences: Difference[] = []
  for (const runs of RUNS) {
    const known = seen.size
    for (const outcome of await upstream.outcomes(testCase, runs)) seen.set(JSON.stringify(outcome), outcome)
    differences = compare(testCase, ours, [...seen.values()])
    const isAllSeen = runs >= SURE_AFTER && seen.size === known
    if (differences.length === 0 || isAllSeen) return differences
  }
  return differences
}
