import {
  ContradictionError,
  churnWorkload,
  lossWorkload,
  type RecordedSettings,
  rollingWorkload,
  scaleWorkload,
  type Workload,
} from '../../../../shared/simulation/index.ts'
import { printable } from '../../../../shared/telemetry/index.ts'
import { openRecorded } from '../../../simulate/index.ts'
import { UsageError } from '../../usage.ts'
import type { SimulateOptions, WorkloadName } from './flags.ts'

/** A workload to simulate, with its defaults. */
export interface Given {
  /** Title such as `churn, 1 × 1000 endpoints on 100 nodes`. */
  readonly title: string
  readonly workloads: readonly GivenWorkload[]
  /** Number of watchers that are sent each event; default: the workload's Nodes. */
  readonly watchers?: number | undefined
  /** Tried unless others are asked for. */
  readonly coalescingWindow: 'auto' | number
  readonly maxEndpointsPerSlice: number
}

export interface GivenWorkload {
  readonly make: () => Workload
  /** Seconds between two changes of a Pod on average, in a workload of churn. */
  readonly meanChange?: number
}

/** Options of a workload with one rate of changes. */
export type WorkloadOptions = Omit<SimulateOptions, 'meanChange' | 'nodes'> & {
  readonly meanChange: number
  readonly nodes: number
}

const WORKLOADS: Readonly<Record<WorkloadName, (options: WorkloadOptions) => Workload>> = {
  churn: churnWorkload,
  rolling: rollingWorkload,
  scale: scaleWorkload,
  'node-loss': (options) => lossWorkload({ ...options, of: 'node' }),
  'zone-loss': (options) => lossWorkload({ ...options, of: 'zone' }),
}

const DEFAULT_NODES = 100

/** Endpoints of all Services beyond which a simulation does not fit into a few GB. */
const MAX_PODS = 2_000_000

/** @throws UsageError for options that contradict each other, naming the nearest possible ones */
export async function givenBy(options: SimulateOptions): Promise<Given> {
  return options.recording === undefined ? generated(options) : recorded(options, options.recording)
}

/** Generates a workload. @throws UsageError */
export function workloadOf({
  nodes = DEFAULT_NODES,
  ...options
}: Omit<WorkloadOptions, 'nodes'> & { readonly nodes?: number }): Workload {
  try {
    return WORKLOADS[options.workload]({ ...options, nodes })
  } catch (error) {
    if (error instanceof ContradictionError) throw new UsageError(error.message, { cause: error })
    throw error
  }
}

function generated(options: SimulateOptions): Given {
  checkSize(options)
  const { workload, services, endpoints, nodes = DEFAULT_NODES } = options
  return {
    title: `${workload}, ${services} × ${endpoints} endpoints on ${nodes} nodes`,
    workloads: options.meanChange.map((meanChange) => ({
      make: () => workloadOf({ ...options, meanChange }),
      ...(workload === 'churn' && { meanChange }),
    })),
    coalescingWindow: 'auto',
    maxEndpointsPerSlice: 100,
  }
}

function checkSize({ services, endpoints }: SimulateOptions): void {
  if (services * endpoints <= MAX_PODS) return
  const nearest = (of: number): number => Math.max(1, Math.floor(MAX_PODS / of))
  throw new UsageError(
    `${services} Services of ${endpoints} endpoints are more than ${MAX_PODS} Pods: the nearest are --services ${nearest(endpoints)}, or --endpoints ${nearest(services)}`,
  )
}

async function recorded(options: SimulateOptions, from: readonly string[]): Promise<Given> {
  const { cluster, since, until, nodes } = options
  const onProblem = (problem: string): void => void process.stderr.write(`${printable(problem)}\n`)
  const workload = await openRecorded({ from, cluster, since, until, onProblem })
  return {
    title: `a recording of ${workload.cluster}`,
    workloads: [{ make: () => workload }],
    watchers: nodes,
    ...gatheredBy(workload.settings),
  }
}

/** Returns the settings of a recording. Whatever else is tried, the recorded settings are the measure. */
function gatheredBy({
  coalescingWindow,
  maxEndpointsPerSlice,
}: RecordedSettings): Pick<Given, 'coalescingWindow' | 'maxEndpointsPerSlice'> {
  return {
    coalescingWindow: typeof coalescingWindow === 'number' ? coalescingWindow : 'auto',
    maxEndpointsPerSlice: typeof maxEndpointsPerSlice === 'number' ? maxEndpointsPerSlice : 100,
  }
}
