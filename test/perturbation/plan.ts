import { createRandom } from '../support/random.ts'
import { PERTURBATION_KINDS, type PerturbationKind } from './perturbations.ts'

/** One perturbation, and what users do before and meanwhile. */
export interface PlannedWindow {
  readonly kind: PerturbationKind
  readonly stepsBefore: number
  /** Number of steps, at least 1. */
  readonly steps: number
  /** Milliseconds that it goes on after the last step. */
  readonly lingerMs: number
}

/** All that is decided before anything is played: the seed decides it. */
export interface Plan {
  readonly seed: number
  readonly mode: 'custom' | 'replace'
  readonly windows: readonly PlannedWindow[]
}

const LINGER_MS = 1_200

/** @param first what it begins with */
function drawPlan(seed: number, first: PerturbationKind): Plan {
  const random = createRandom(seed)
  const mode = random.chance(0.5) ? 'custom' : 'replace'
  const count = random.chance(0.5) ? 1 : 2
  const windows = Array.from({ length: count }, (_, index): PlannedWindow => {
    const drawn = random.pick(PERTURBATION_KINDS) ?? first
    return {
      kind: index === 0 ? first : drawn,
      stepsBefore: random.below(4),
      steps: 2 + random.below(5),
      lingerMs: random.below(LINGER_MS),
    }
  })
  return { seed, mode, windows }
}

/** Draws plans with every kind in turn, so that each kind begins equally many. */
export const drawPlans = (seeds: readonly number[], kinds: readonly PerturbationKind[]): Plan[] =>
  seeds.map((seed) => drawPlan(seed, kinds[seed % kinds.length] ?? 'crash'))
