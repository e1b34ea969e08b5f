import {
  type ClusterSize,
  ContradictionError,
  churnWorkload,
  lossWorkload,
  type RecordedSettings,
  rollingWorkload,
  scaleWorkload,
  type Workload,
} from '../../../shared/simulation/index.ts'
import { printProblem } from '../../output/print-report.ts'
import { openRecorded } from '../../simulate/index.ts'
import { UsageError } from '../../usage.ts'
import type { SimulateFlags, WorkloadName } from './command.ts'

/** A workload to simulate, with its defaults. */
export interface Given extends Gathered {
  /** Title such as `churn, 1 × 1000 endpoints on 100 nodes`. */
  readonly title: string
  readonly workloads: readonly GivenWorkload[]
  /** Number of watchers that are sent each event; default: the workload's Nodes. */
  readonly watchers?: number | undefined
}

/** Settings that are tried unless others are asked for. */
interface Gathered {
  readonly coalescingWindow: 'auto' | number
  readonly maxEndpointsPerSlice: number
}

interface GivenWorkload {
  readonly make: () => Workload
  /** Seconds between two changes of a Pod on average, in a workload of churn. */
  readonly meanChange?: number
}

/** What decides a workload, with one rate of changes. */
interface WorkloadChoice {
  readonly size: ClusterSize
  /** Seconds between two changes of a Pod on average, in a workload of churn. */
  readonly meanChange: number
}

type Make = (size: ClusterSize, flags: SimulateFlags, meanChange: number) => Workload

const WORKLOADS: Readonly<Record<WorkloadName, Make>> = {
  churn: (size, { churn, measured: { seed } }, meanChange) =>
    churnWorkload(size, { ...churn, meanChange, seed }),
  rolling: (size, { rolling, measured: { seed } }) => rollingWorkload(size, { ...rolling, seed }),
  scale: (size, { scaling, measured: { seed } }) => scaleWorkload(size, { ...scaling, seed }),
  'node-loss': (size, { loss, measured: { seed } }) => lossWorkload(size, { ...loss, seed, of: 'node' }),
  'zone-loss': (size, { loss, measured: { seed } }) => lossWorkload(size, { ...loss, seed, of: 'zone' }),
}

const DEFAULT_NODES = 100

/** Endpoints of all Services beyond which a simulation does not fit into a few GB. */
const MAX_PODS = 2_000_000

/** @throws UsageError for flags that contradict each other, naming the nearest possible ones */
export async function givenBy(flags: SimulateFlags): Promise<Given> {
  const { recording } = flags.recorded
  return recording === undefined ? generated(flags) : recorded(flags, recording)
}

/** Generates a workload. @throws UsageError */
export function workloadOf(flags: SimulateFlags, { size, meanChange }: WorkloadChoice): Workload {
  try {
    return WORKLOADS[flags.workload.workload](size, flags, meanChange)
  } catch (error) {
    if (error instanceof ContradictionError) throw new UsageError(error.message, { cause: error })
    throw error
  }
}

export const sizeOf = ({ size: { nodes = DEFAULT_NODES, ...size } }: SimulateFlags): ClusterSize => ({
  ...size,
  nodes,
})

function generated(flags: SimulateFlags): Given {
  const size = sizeOf(flags)
  checkSize(size)
  const { services, endpoints, nodes } = size
  const { workload } = flags.workload
  return {
    title: `${workload}, ${services} × ${endpoints} endpoints on ${nodes} nodes`,
    workloads: flags.churn.meanChange.map((meanChange) => ({
      make: () => workloadOf(flags, { size, meanChange }),
      ...(workload === 'churn' && { meanChange }),
    })),
    coalescingWindow: 'auto',
    maxEndpointsPerSlice: 100,
  }
}

function checkSize({ services, endpoints }: ClusterSize): void {
  if (services * endpoints <= MAX_PODS) return
  const nearest = (of: number): number => Math.max(1, Math.floor(MAX_PODS / of))
  throw new UsageError(
    `${services} Services of ${endpoints} endpoints are more than ${MAX_PODS} Pods: the nearest are --services ${nearest(endpoints)}, or --endpoints ${nearest(services)}`,
  )
}

async function recorded(flags: SimulateFlags, from: readonly string[]): Promise<Given> {
  const { cluster, since, until } = flags.recorded
  const workload = await openRecorded({ from, cluster, since, until, onProblem: printProblem })
  return {
    title: `a recording of ${workload.cluster}`,
    workloads: [{ make: () => workload }],
    watchers: flags.size.nodes,
    ...gatheredBy(workload.settings),
  }
}

/** Returns the settings of a recording. Whatever else is tried, the recorded settings are the measure. */
function gatheredBy({ coalescingWindow, maxEndpointsPerSlice }: RecordedSettings): Gathered {
  return {
    coalescingWindow: typeof coalescingWindow === 'number' ? coalescingWindow : 'auto',
    maxEndpointsPerSlice: typeof maxEndpointsPerSlice === 'number' ? maxEndpointsPerSlice : 100,
  }
}
