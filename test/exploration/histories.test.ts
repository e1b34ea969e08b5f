import fc from 'fast-check'
import { describe, it } from 'vitest'
import {
  deletePod,
  deleteService,
  editSlice,
  NAMESPACE,
  putPod,
  putService,
  SERVICE,
  takeSlice,
  together,
} from './environment.ts'
import { walk } from './explore.ts'
import type { EnvironmentStep } from './scenario.ts'
import { reconciled, SETTINGS, unreconciled } from './scenarios.ts'
import { createWorkersModel } from './workers.ts'

const PODS = ['web-1', 'web-2', 'web-3', 'web-4'] as const

const step: fc.Arbitrary<EnvironmentStep> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.constantFrom(...PODS), fc.boolean())
      .map(([name, ready]) => putPod(name, { ready })),
  },
  { weight: 3, arbitrary: fc.constantFrom(...PODS).map(deletePod) },
  { weight: 1, arbitrary: fc.constantFrom(...PODS).map((name) => putPod(name, { app: 'other' })) },
  { weight: 1, arbitrary: fc.constantFrom('web', 'other').map(putService) },
  { weight: 1, arbitrary: fc.constantFrom(deleteService(), editSlice(), takeSlice()) },
)
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: step },
    { weight: 1, arbitrary: fc.tuple(step, step).map(([first, second]) => together(first, second)) },
  ),
  { minLength: 2, maxLength: 8 },
)
const faults = fc.record({
  crashes: fc.nat(2),
  losses: fc.nat(2),
  duplicates: fc.nat(1),
})
const workers = fc.record({
  processes: fc.integer({ min: 1, max: 3 }),
  capacity: fc.integer({ min: 1, max: 3 }),
  isReused: fc.boolean(),
})
/** Which choice is taken at each point; shrinks towards one worker after the other. */
const picks = fc.array(fc.nat(30), { minLength: 40, maxLength: 300, size: 'max' })

const RUNS = 150
/** A crowded machine takes its time. */
const TIMEOUT_MS = 180_000

const history = fc.record({
  start: fc.constantFrom('unreconciled', 'reconciled'),
  steps,
  faults,
  workers,
  picks,
})

describe('three workers and long histories', () => {
  it.each(['object', 'global'] as const)(
    'end with the right slices, versions being counted by %s',
    async (versions) => {
      const clusters = { unreconciled: unreconciled(3, versions), reconciled: await reconciled(3, versions) }
      const run = async (drawn: typeof history extends fc.Arbitrary<infer T> ? T : never): Promise<void> => {
        const cluster = clusters[drawn.start]
        const service = { namespace: NAMESPACE, name: SERVICE }
        const changes = drawn.start === 'unreconciled' ? [putService(), ...drawn.steps] : drawn.steps
        const scenario = {
          ...drawn.workers,
          faults: drawn.faults,
          cluster,
          service,
          settings: SETTINGS,
          steps: changes,
        }
        await walk(createWorkersModel(scenario), drawn.picks)
      }
      await fc.assert(fc.asyncProperty(history, run), { numRuns: RUNS })
    },
    TIMEOUT_MS,
  )
})
