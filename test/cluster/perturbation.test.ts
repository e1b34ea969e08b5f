import { describe, expect, it } from 'vitest'
import { drawPlans, PLANNED_KINDS } from '../perturbation/plan.ts'
import { runPlans } from '../perturbation/run.ts'

/** A plan for each kind; `npm run test:perturbation` plays 200. */
const SEEDS = PLANNED_KINDS.map((_, index) => index)

describe('perturbed views of the API server', () => {
  it('leave the slices as they are when nothing is perturbed, and no live endpoint missing for longer than a sweep', async () => {
    const results = await runPlans(drawPlans(SEEDS, PLANNED_KINDS))

    const failures = results.flatMap(({ plan, problems }) =>
      problems.map((text) => `seed ${plan.seed}: ${text}`),
    )
    expect(failures).toEqual([])
    const happened = new Set(results.flatMap((result) => [...result.happened.keys()]))
    expect(happened).toEqual(new Set(PLANNED_KINDS))
  })
})
