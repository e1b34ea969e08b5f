import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runScenarios } from '../survival/run.ts'
import { SCENARIOS } from '../survival/scenarios/index.ts'
import { type OpenSurroundings, openSurroundings } from '../survival/surroundings.ts'

/** Scenarios that no other suite plays. `npm run test:survival` plays all, also to the in-tree controller. */
const PLAYED = [
  'held-by-finalizer',
  'conflicts',
  'foreign-endpoints',
  'mode-forgotten',
  'controller-forgotten',
  'crashing-job',
  'link-local-pod',
  'all-probes-fail',
  'selector-removed',
  'external-name',
  'create-refused',
  'refused-service',
  'long-selectors',
  'long-refusal',
  'one-name-twice',
  'restored-from-backup',
  'refused-at-restart',
  'mode-changed',
]

/** Scenarios in which ready endpoints are lost in every run. A recording must explain each loss. */
const LOSING = [
  'held-by-finalizer',
  'foreign-endpoints',
  'link-local-pod',
  'selector-removed',
  'external-name',
  'create-refused',
]

describe('the survival scenarios', () => {
  let opened: OpenSurroundings

  beforeAll(async () => {
    opened = await openSurroundings()
  })
  afterAll(() => opened?.close())

  it('are survived by Sliceflow', async () => {
    const [kind] = opened.kinds.filter(({ id }) => id === 'sliceflow')
    if (kind === undefined) throw new Error('there is no Sliceflow among the subjects')
    const scenarios = SCENARIOS.filter(({ id }) => PLAYED.includes(id))
    const results = await runScenarios(scenarios, kind, opened.surroundings, () => {})

    const lost = results.filter(({ survived }) => !survived)
    expect(lost.map(({ scenario, observed }) => `${scenario.id}: ${observed}`)).toEqual([])
    expect(results).toHaveLength(PLAYED.length)
    // Of the others the history has nothing to explain.
    const explained = results.filter(({ losses = 0 }) => losses > 0).map(({ scenario }) => scenario.id)
    expect(explained).toEqual(expect.arrayContaining(LOSING))
  })
})
