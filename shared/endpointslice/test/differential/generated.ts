import * as fc from 'fast-check'
import { testCases } from './arbitrary/index.ts'
import type { Difference } from './compare/index.ts'
import { differencesIn, kindOf } from './differences.ts'
import type { TestCase } from './test-case.ts'
import type { Upstream } from './upstream.ts'

/** A kind of difference that was found, with a case that was made as small as possible. */
export interface Finding {
  readonly kind: string
  readonly testCase: TestCase
  readonly differences: readonly Difference[]
}

export interface GeneratedResult {
  readonly compared: number
  /** Cases that differ, of whatever kind. */
  readonly different: number
  /** One for each kind. */
  readonly findings: readonly Finding[]
}

export interface GeneratedOptions {
  readonly count: number
  /** The same seed and count give the same cases. */
  readonly seed: number
  /** Called after every compared case. */
  readonly report?: (compared: number, different: number) => void
}

/** More would take long, and most likely have the same few causes. */
const MAX_FINDINGS = 3
/**
 * A case that differs takes upstream's full number of runs, a second or so, and making it smaller takes many
 * such cases.
 */
const SHRINK_MS = 30_000

/**
 * Compares generated cases. The first case of each kind of difference is made smaller for as long as it
 * differs in that way; then the remaining cases follow, in which that kind is only counted. It ends early
 * after three kinds.
 * @throws UpstreamError if upstream gives no answers
 */
export async function compareGenerated(
  upstream: Upstream,
  { count, seed, report = () => {} }: GeneratedOptions,
): Promise<GeneratedResult> {
  const findings: Finding[] = []
  let compared = 0
  let different = 0
  while (compared < count && findings.length < MAX_FINDINGS) {
    const known = new Set(findings.map(({ kind }) => kind))
    const onCompared = (kind: string): void => {
      compared++
      if (kind !== '') different++
      report(compared, different)
    }
    const search = { known, onCompared, seed: seed + findings.length, count: count - compared }
    const finding = await firstFinding(upstream, search)
    if (finding !== undefined) findings.push(finding)
  }
  return { compared, different, findings }
}

interface Search {
  /** Kinds of no interest any more. */
  readonly known: ReadonlySet<string>
  readonly onCompared: (kind: string) => void
  readonly seed: number
  readonly count: number
}

async function firstFinding(
  upstream: Upstream,
  { known, onCompared, seed, count }: Search,
): Promise<Finding | undefined> {
  let smallest: Finding | undefined
  let failure: unknown
  let deadline = Number.POSITIVE_INFINITY
  const property = fc.asyncProperty(testCases, async (testCase) => {
    if (performance.now() > deadline) return true
    const differences = await differencesIn(testCase, upstream).catch((error: unknown) => {
      failure = error
      throw error
    })
    const kind = kindOf(differences)
    // After the first find, fast-check tries smaller cases.
    if (smallest === undefined) onCompared(kind)
    const isOfInterest = smallest === undefined ? kind !== '' && !known.has(kind) : kind === smallest.kind
    if (!isOfInterest) return true
    if (smallest === undefined) deadline = performance.now() + SHRINK_MS
    smallest = { kind, testCase, differences }
    return false
  })
  await fc.check(property, { seed, numRuns: count })
  if (failure !== undefined) throw failure
  return smallest
}
