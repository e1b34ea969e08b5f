import { simulate, type WriteMeasures } from './engine/index.ts'
import { POLICY_NAMES, type PolicyName } from './policies/index.ts'
import type { Encoding } from './sizes/index.ts'
import {
  type ClusterSize,
  createSimulatedCluster,
  rollingWorkload,
  type Workload,
  withState,
} from './workloads/index.ts'

/** The sample cases of KEP-752. */
export const PRESETS = {
  'kep-large': { services: 1, endpoints: 20_000, nodes: 5_000 },
  'kep-small': { services: 1, endpoints: 20, nodes: 10 },
} as const satisfies Readonly<Record<string, ClusterSize>>

export type PresetName = keyof typeof PRESETS
export const PRESET_NAMES = Object.keys(PRESETS) as readonly PresetName[]

export const PHASES = ['create', 'update', 'rolling'] as const
export type Phase = (typeof PHASES)[number]

/** Costs of a policy by the phases of a preset: create all objects, change one endpoint, replace all. */
type PresetMeasures = Readonly<Partial<Record<Phase, WriteMeasures>>>

export interface PresetResult {
  readonly preset: PresetName
  readonly policies: Partial<Readonly<Record<PolicyName, PresetMeasures>>>
}

export interface PresetOptions {
  /** Default: all. */
  readonly policies?: readonly PolicyName[]
  /** Default: all. */
  readonly phases?: readonly Phase[]
  readonly encoding?: Encoding
  /** Default 0: the KEP counts one write per change. */
  readonly coalescingWindow?: 'auto' | number
  readonly maxEndpointsPerSlice?: number
  readonly seed?: number
  readonly onProgress?: (policy: PolicyName, events: number, of: number) => void
}

/** Pods that a rolling update creates and deletes per second: a sync seldom covers two of them. */
const ROLLED_PER_SECOND = 10

/**
 * @example
 * ```ts
 * const { policies } = await simulatePreset('kep-small', { policies: ['in-tree'] })
 * Object.keys(policies) // => ['in-tree']
 * ```
 */
export async function simulatePreset(
  preset: PresetName,
  { policies = POLICY_NAMES, ...options }: PresetOptions = {},
): Promise<PresetResult> {
  const measured: Partial<Record<PolicyName, PresetMeasures>> = {}
  for (const policy of policies) measured[policy] = await measurePolicy(policy, PRESETS[preset], options)
  return { preset, policies: measured }
}

async function measurePolicy(
  policy: PolicyName,
  size: ClusterSize,
  { phases = PHASES, seed = 1, onProgress, ...options }: PresetOptions,
): Promise<PresetMeasures> {
  const { coalescingWindow = 0, maxEndpointsPerSlice, encoding } = options
  const settings = { coalescingWindow, maxEndpointsPerSlice }
  const common = { policy, settings, watching: { encoding }, seed }
  const { create, run: update } = await simulate({ ...common, workload: singleUpdate(size) })
  const measures: Partial<Record<Phase, WriteMeasures>> = {}
  if (phases.includes('create')) measures.create = create
  if (phases.includes('update')) measures.update = writesOf(update)
  if (phases.includes('rolling')) {
    const workload = rollingWorkload(size, { seed, perSecond: ROLLED_PER_SECOND })
    const { run } = await simulate({
      ...common,
      workload,
      observer: { onProgress: (events) => onProgress?.(policy, events, workload.count ?? events) },
    })
    measures.rolling = writesOf(run)
  }
  return measures
}

const writesOf = ({ writes, watchEvents, bytesSent, bytesStored }: WriteMeasures): WriteMeasures => ({
  writes,
  watchEvents,
  bytesSent,
  bytesStored,
})

/** Creates the workload of a single Pod that becomes unready. */
export function singleUpdate(size: ClusterSize): Workload {
  const { services, nodes, pods } = createSimulatedCluster(size)
  const [pod] = pods
  const events = pod === undefined ? [] : [{ atMs: 0, pod: withState(pod, { isReady: false }, 2) }]
  return { services, nodes, pods, events: () => [events], count: events.length }
}
