import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EndpointSlice } from '../../index.ts'
import { testCases } from '../differential/arbitrary/index.ts'
import { compare } from '../differential/compare/index.ts'
import { compareGenerated } from '../differential/generated.ts'
import { upstreamProgram } from '../differential/program.ts'
import type { Outcome, TestCase } from '../differential/test-case.ts'
import { startUpstream, type Upstream } from '../differential/upstream.ts'

/** A first build compiles client-go. */
const BUILD_TIMEOUT_MS = 600_000

/** Changes the slices that are created. */
const inNew =
  (change: (slice: EndpointSlice) => Partial<EndpointSlice>) =>
  (outcome: Outcome): Outcome => ({
    ...outcome,
    create: outcome.create.map((slice) => ({ ...slice, ...change(slice) })),
  })

describe('plan() beside the in-tree controller', () => {
  let upstream: Upstream
  let outcomes: (readonly [TestCase, Outcome])[]

  beforeAll(async () => {
    upstream = startUpstream(await upstreamProgram())
    outcomes = []
    for (const testCase of fc.sample(testCases, { seed: 1, numRuns: 100 }))
      for (const outcome of await upstream.outcomes(testCase, 1))
        if (compare(testCase, outcome, [outcome]).length === 0) outcomes.push([testCase, outcome])
  }, BUILD_TIMEOUT_MS)
  afterAll(() => upstream?.close())

  it('does in 500 generated cases what the controller does', async () => {
    let compared = 0
    const report = () => void compared++
    await compareGenerated(upstream, { count: 500, seed: 20_260_301, report })
    expect(compared).toBe(500)
  })

  it.each<[string, (outcome: Outcome) => Outcome, string]>([
    ['leaves out an endpoint', inNew(({ endpoints }) => ({ endpoints: endpoints?.slice(1) })), 'endpoints'],
    [
      'has other conditions',
      inNew(({ endpoints }) => ({ endpoints: endpoints?.map((one) => ({ ...one, conditions: {} })) })),
      'endpoints',
    ],
    ['has other ports', inNew(() => ({ ports: [{ port: 1 }] })), 'slices'],
    ['has other labels', inNew(({ metadata }) => ({ metadata: { ...metadata, labels: {} } })), 'slices'],
    ['deletes nothing', (outcome) => ({ ...outcome, delete: [] }), 'slices'],
    [
      'creates a slice more',
      ({ create, ...outcome }) => ({ ...outcome, create: [...create, ...create] }),
      'writes',
    ],
    ['tells of nothing', (outcome) => ({ ...outcome, events: [] }), 'events'],
    ['fails', (outcome) => ({ ...outcome, error: outcome.error === '' ? 'failed' : '' }), 'error'],
    [
      'gives no hints',
      inNew(({ endpoints }) => ({ endpoints: endpoints?.map(({ hints: _, ...endpoint }) => endpoint) })),
      'hints',
    ],
  ])('is distinguished from a controller that %s', async (_, change, aspect) => {
    const reported = outcomes.flatMap(([testCase, outcome]) => compare(testCase, change(outcome), [outcome]))
    expect(reported.map((difference) => difference.aspect)).toContain(aspect)
  })
})
