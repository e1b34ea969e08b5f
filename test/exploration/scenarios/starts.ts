import { parseSettings } from '../../../shared/settings/index.ts'
import { reconcileOnce } from '../at-rest.ts'
import { putPod, withNode, withPod, withService } from '../environment.ts'
import {
  ENDPOINTS_A_SLICE,
  type EnvironmentStep,
  MANAGED_BY,
  NAMESPACE,
  type Scenario,
  SERVICE,
} from '../scenario.ts'
import { emptyCluster, type SimulatedCluster, type Versions } from '../simulated-api.ts'

export interface NamedScenario extends Scenario {
  readonly name: string
  /** One that `--deep` explores, and no test. Default false. */
  readonly isDeep?: boolean
}

export const SETTINGS = parseSettings({
  mode: 'replace',
  managedBy: MANAGED_BY,
  maxEndpointsPerSlice: ENDPOINTS_A_SLICE,
  // No Pod has such an address, and each process would compute the list of ranges again.
  refusedAddresses: 'none',
})

/** Two workers, each in a process of its own that is new for every message. */
export const TWO = {
  service: { namespace: NAMESPACE, name: SERVICE },
  settings: SETTINGS,
  processes: 2,
  capacity: 1,
  isReused: false,
} as const

/** Returns a Service and this many ready pods, `web-1` and on, without slices. */
export function unreconciled(pods: number, versions: Versions = 'object'): SimulatedCluster {
  const names = Array.from({ length: pods }, (_, index) => `web-${index + 1}`)
  return names.reduce(
    (cluster, name) => withPod(cluster, name),
    withService(withNode(emptyCluster(versions))),
  )
}

/** Returns the same Service with slices that are right. */
export const reconciled = (pods: number, versions: Versions = 'object'): Promise<SimulatedCluster> =>
  afterReconcile(unreconciled(pods, versions))

export async function afterReconcile(start: SimulatedCluster): Promise<SimulatedCluster> {
  return (await reconcileOnce({ ...TWO, cluster: start, steps: [] }, start)).cluster
}

/** A pod that fails and recovers. */
export const FLIP = [putPod('web-1', { ready: false }), putPod('web-1')] as const

/** The cluster as it is at first, what others do to it, and what else is not as in `TWO`. */
type Play = readonly [
  cluster: SimulatedCluster,
  steps: readonly EnvironmentStep[],
  more?: Partial<Omit<NamedScenario, 'name' | 'cluster' | 'steps'>>,
]

/** Makes scenarios of two workers, by their names. */
export const scenariosOf = (plays: Readonly<Record<string, Play>>): NamedScenario[] =>
  Object.entries(plays).map(([name, [cluster, steps, more]]) => ({ ...TWO, name, cluster, steps, ...more }))

export const CRASH = { faults: { crashes: 1 } } as const
export const LOSS = { faults: { losses: 1 } } as const
export const DUPLICATE = { faults: { duplicates: 1 } } as const
export const OUTAGE = { faults: { relayOutages: 1 } } as const
export const REUSED = { isReused: true } as const
/** One process that remembers, of two messages at once. */
export const ONE = { processes: 1, capacity: 2, isReused: true } as const
/** Where cheaper scenarios show the same faults. */
export const DEEP_REUSED = { ...REUSED, isDeep: true } as const
/** Few orders, of scenarios that have too many. */
export const inOrder = (maxInterruptions: number) => ({ answersInOrder: true, maxInterruptions })

/** Returns the scenarios of one flip that hold for every kind of read. */
export const flips = (cluster: SimulatedCluster): NamedScenario[] =>
  scenariosOf({
    'a pod fails and recovers; one worker dies': [cluster, FLIP, CRASH],
    'a pod fails and recovers; one message comes twice': [cluster, FLIP, DUPLICATE],
    'one process has two messages at once, and dies': [cluster, FLIP, { ...ONE, ...CRASH }],
    'two processes remember what they did; one dies': [cluster, FLIP, { ...REUSED, ...CRASH }],
  })
