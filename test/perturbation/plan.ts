import { createRandom } from '../support/random.ts'
import { PERTURBATION_KINDS, type PerturbationKind } from './perturbations.ts'

/** Done to a server and so to all plans on it, while the others are done to one plan. */
export const SET_BACK = 'set-back'
export type PlannedKind = PerturbationKind | typeof SET_BACK
export const PLANNED_KINDS: readonly PlannedKind[] = [...PERTURBATION_KINDS, SET_BACK]

/** One perturbation, and what users do before and meanwhile. */
export interface PlannedWindow {
  readonly kind: PlannedKind
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

/** @param first what it begins with; one that begins with a server set back has nothing else */
function drawPlan(seed: number, first: PlannedKind): Plan {
  const random = createRandom(seed)
  const mode = random.chance(0.5) ? 'custom' : 'replace'
  const count = random.chance(0.5) || first === SET_BACK ? 1 : 2
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
export const drawPlans = (seeds: readonly number[], kinds: readonly PlannedKind[]): Plan[] =>
  seeds.map((seed) => drawPlan(seed, kinds[seed % kinds.length] ?? SET_BACK))
