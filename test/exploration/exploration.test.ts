import { describe, expect, it } from 'vitest'
import { ENDPOINT_SLICES } from '../../shared/kubernetes/index.ts'
import { reconcileOnce, wrongSlices } from './at-rest.ts'
import { exploreAll, ViolationError } from './explore.ts'
import {
  consistentScenarios,
  factsScenarios,
  hintedScenarios,
  limits,
  minimumVersionScenarios,
  type NamedScenario,
  SETTINGS,
} from './scenarios/index.ts'
import { objectsOf, type SimulatedCluster } from './simulated-api.ts'
import { createWorkersModel } from './workers.ts'

/** Ten times the largest scenario. */
const MAX_STATES = 400_000
/** A crowded machine takes its time. */
const TIMEOUT_MS = 180_000

describe.each([
  ['consistent reads', await consistentScenarios()],
  ['pods from caches that lag', await minimumVersionScenarios()],
  ['hints that overlap or are stale', await hintedScenarios()],
  ['facts of Pods beside hints', await factsScenarios()],
])('with %s, every interleaving ends with the right slices', (_, scenarios) => {
  it.each(scenarios.filter(({ isDeep }) => isDeep !== true))(
    'when $name',
    async (scenario) => {
      // It throws what went wrong, with the shortest way to it.
      const { ends } = await exploreAll(createWorkersModel(scenario), MAX_STATES)
      expect(ends).toBeGreaterThan(0)
    },
    TIMEOUT_MS,
  )
})

describe('the next sweep mends', async () => {
  it.each(await limits())('what is wrong after $name', async (scenario) => {
    const model = createWorkersModel(scenario)
    let wrong: SimulatedCluster | undefined
    const watched = {
      ...model,
      check: (state: typeof model.start, isEnd: boolean) => {
        const lines = isEnd ? wrongSlices(scenario, state.cluster) : []
        if (lines.length > 0) wrong = state.cluster
        return lines
      },
    }
    await expect(exploreAll(watched, MAX_STATES)).rejects.toThrow(ViolationError)

    const swept = await reconcileOnce(scenario, wrong ?? scenario.cluster)

    expect(swept.writes).not.toEqual([])
    expect(wrongSlices(scenario, swept.cluster)).toEqual([])
    expect(objectsOf(swept.cluster, ENDPOINT_SLICES.plural)).toHaveLength(1)
    expect((await reconcileOnce(scenario, swept.cluster)).writes).toEqual([])
  })
})

describe('the exploration', () => {
  it('finds what it is told to look for', async () => {
    const [scenario] = await consistentScenarios()
    const model = createWorkersModel({
      ...(scenario as NamedScenario),
      settings: { ...SETTINGS, maxEndpointsPerSlice: 1 },
    })
    const never = {
      ...model,
      check: ({ stepsDone }: typeof model.start) => (stepsDone === 2 ? ['a second change'] : []),
    }
    await expect(exploreAll(never, MAX_STATES)).rejects.toMatchObject({
      violations: ['a second change'],
      trace: ['pod web-1 is not ready', 'pod web-1 is ready'],
    })
  })
})
