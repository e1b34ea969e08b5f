import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compareGenerated } from '../differential/generated.ts'
import { upstreamProgram } from '../differential/program.ts'
import { describeFinding } from '../differential/report.ts'
import { startUpstream, type Upstream } from '../differential/upstream.ts'

/** A first build compiles client-go. */
const BUILD_TIMEOUT_MS = 600_000

describe('plan() beside the in-tree controller', () => {
  let upstream: Upstream

  beforeAll(async () => {
    upstream = startUpstream(await upstreamProgram())
  }, BUILD_TIMEOUT_MS)
  afterAll(() => upstream?.close())

  it('does in 500 generated cases what the controller does', async () => {
    const { compared, findings } = await compareGenerated(upstream, { count: 500, seed: 20_260_301 })
    expect(findings.map(({ testCase, differences }) => describeFinding(testCase, differences))).toEqual([])
    expect(compared).toBe(500)
  })

  it('is told to differ from a controller that sees no pods', async () => {
    const { findings } = await compareGenerated(
      { ...upstream, outcomes: async (testCase) => upstream.outcomes({ ...testCase, pods: [] }, 1) },
      { count: 20, seed: 1 },
    )
    expect(findings.map(({ kind }) => kind).join()).toContain('endpoints')
  })
})
