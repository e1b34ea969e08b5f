import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EndpointSlice } from '../../shared/endpointslice/index.ts'
import { ENDPOINT_SLICES } from '../../shared/kubernetes/index.ts'
import { deliverOnce, reconcileOnce, wrongSlices } from './at-rest.ts'
import {
  deletePod,
  deleteService,
  editSlice,
  hinted,
  putPod,
  putService,
  takeSlice,
  together,
} from './environment.ts'
import { walk } from './explore.ts'
import { ENDPOINTS_A_SLICE, type EnvironmentStep, NAMESPACE, type Scenario, SERVICE } from './scenario.ts'
import { afterReconcile, reconciled, SETTINGS, unreconciled } from './scenarios/index.ts'
import { objectsOf, type SimulatedCluster } from './simulated-api.ts'
import { createWorkersModel } from './workers.ts'

const PODS = ['web-1', 'web-2', 'web-3', 'web-4'] as const

/** Steps of one history: its relay remembers the earlier states, and may send a message of an old one. */
type Step = (past: SimulatedCluster[]) => EnvironmentStep

/** Steps by which the relay's view of the slices lags behind; absent: its messages have no hint. */
const lag = fc.oneof(fc.constant(undefined), fc.constant(0), fc.integer({ min: 1, max: 3 }))

function reported(change: EnvironmentStep, pod: string, steps: number | undefined): Step {
  if (steps === undefined) return () => change
  return (past) =>
    hinted(change, [pod], (now) => {
      past.push(now)
      return past.at(-1 - steps) ?? past[0] ?? now
    })
}

const podStep = (names: readonly string[], lags: fc.Arbitrary<number | undefined>): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .tuple(fc.constantFrom(...names), fc.boolean(), lags)
        .map(([name, ready, steps]) => reported(putPod(name, { ready }), name, steps)),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.constantFrom(...names), lags)
        .map(([name, steps]) => reported(deletePod(name), name, steps)),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(...names), lags)
        .map(([name, steps]) => reported(putPod(name, { app: 'other' }), name, steps)),
    },
  )

const togetherOr = (one: fc.Arbitrary<Step>): fc.Arbitrary<Step> =>
  fc.oneof(
    { weight: 4, arbitrary: one },
    {
      weight: 1,
      arbitrary: fc.tuple(one, one).map(
        ([first, second]): Step =>
          (past) =>
            together(first(past), second(past)),
      ),
    },
  )

const serviceStep: fc.Arbitrary<Step> = fc
  .oneof(
    fc.constantFrom('web', 'other').map(putService),
    fc.constantFrom(deleteService(), editSlice(), takeSlice()),
  )
  .map((change) => () => change)

const stepsWith = (lags: fc.Arbitrary<number | undefined>): fc.Arbitrary<Step[]> =>
  fc.array(
    togetherOr(
      fc.oneof({ weight: 5, arbitrary: podStep(PODS, lags) }, { weight: 1, arbitrary: serviceStep }),
    ),
    { minLength: 2, maxLength: 8 },
  )
const faults = fc.record({ crashes: fc.nat(2), losses: fc.nat(2), duplicates: fc.nat(1) })
const workers = fc.record({
  processes: fc.integer({ min: 1, max: 3 }),
  capacity: fc.integer({ min: 1, max: 3 }),
  isReused: fc.boolean(),
})
/** Choice that is taken at each point; shrinks towards one worker after the other. */
const picks = fc.array(fc.nat(30), { minLength: 40, maxLength: 300, size: 'max' })

const RUNS = 100
/** A crowded machine takes its time. */
const TIMEOUT_MS = 180_000

/**
 * Makes histories. Without global versions a relay has nothing to compare, so that its messages have no
 * hints.
 */
const historyWith = (lags: fc.Arbitrary<number | undefined>) =>
  fc.record({
    start: fc.constantFrom('unreconciled' as const, 'reconciled' as const),
    steps: stepsWith(lags),
    faults,
    workers,
    picks,
  })
type History = ReturnType<typeof historyWith> extends fc.Arbitrary<infer T> ? T : never

const BASE = { service: { namespace: NAMESPACE, name: SERVICE }, settings: SETTINGS } as const

describe('three workers and long histories', () => {
  it.each([
    ['object', fc.constant(undefined)],
    ['global', lag],
  ] as const)(
    'end with the right slices, versions being counted by %s',
    async (versions, lags) => {
      const clusters = { unreconciled: unreconciled(3, versions), reconciled: await reconciled(3, versions) }
      const run = async ({ start, steps, workers: given, faults: left, picks: choices }: History) => {
        const cluster = clusters[start]
        const past = [cluster]
        const changes = steps.map((step) => step(past))
        const scenario: Scenario = {
          ...BASE,
          ...given,
          faults: left,
          cluster,
          relayVerifies: versions === 'global',
          steps: start === 'unreconciled' ? [putService(), ...changes] : changes,
        }
        await walk(createWorkersModel(scenario), choices)
      }
      await fc.assert(fc.asyncProperty(historyWith(lags), run), { numRuns: RUNS })
    },
    TIMEOUT_MS,
  )
})

const MANY = Array.from({ length: 16 }, (_, index) => `web-${index + 1}`)
const ALONE = { ...BASE, processes: 1, capacity: 1, isReused: false, steps: [] } as const

const slicesOf = (cluster: SimulatedCluster) =>
  new Map(
    objectsOf<EndpointSlice>(cluster, ENDPOINT_SLICES.plural).map(({ metadata, endpoints }) => [
      metadata?.name,
      endpoints?.length ?? 0,
    ]),
  )

/** Returns the slices that were made although another one had room for all that they hold. */
function needlessSlices(before: SimulatedCluster, after: SimulatedCluster): string[] {
  const known = slicesOf(before)
  const slices = [...slicesOf(after)]
  return slices
    .filter(([name]) => !known.has(name))
    .filter(([made, held]) =>
      slices.some(([name, size]) => name !== made && size + held <= ENDPOINTS_A_SLICE),
    )
    .map(([made]) => `slice ${made} was made although another one had room`)
}

describe('one worker and a long history of hints, of a relay whose slices are old', () => {
  it(
    'publishes after each message what a full sync would, and makes a slice only where none has room',
    async () => {
      const start = await afterReconcile(unreconciled(12, 'global'))
      const scenario: Scenario = { ...ALONE, cluster: start }
      const run = async (steps: readonly Step[]): Promise<void> => {
        const past = [start]
        let cluster = start
        for (const step of steps) {
          const { change, messages } = step(past)
          const changed = change(cluster)
          const sent = messages(changed, cluster)
          cluster = changed
          for (const message of sent) {
            const before = cluster
            cluster = (await deliverOnce(scenario, before, { ...message, relayVerifies: true })).cluster
            expect(needlessSlices(before, cluster)).toEqual([])
          }
          expect(cluster.violations).toEqual([])
          expect(wrongSlices(scenario, cluster)).toEqual([])
          expect((await reconcileOnce(scenario, cluster)).writes).toEqual([])
        }
      }
      const steps = fc.array(togetherOr(podStep(MANY, fc.constant(0))), {
        minLength: 10,
        maxLength: 40,
        size: 'max',
      })
      await fc.assert(fc.asyncProperty(steps, run), { numRuns: RUNS / 5 })
    },
    TIMEOUT_MS,
  )
})
