import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type ClusterIndex, createClusterIndex } from '../changes/index.ts'
import { BATCH_SIZE, FUNCTION_GB, SECONDS_A_MONTH, taskDollars, usageDollars } from '../costs/index.ts'
import { simulate } from './engine/index.ts'
import type { Workload } from './workloads/index.ts'

/** Limits of the AWS services below Sliceflow, as of November 2026. */
const LIMITS = {
  /** Messages of a standard queue received and not yet deleted: Amazon SQS Developer Guide, "quotas". */
  sqsInFlight: 120_000,
  /** Concurrent executions per account and region, by default: AWS Lambda Developer Guide, "quotas". */
  lambdaConcurrency: 1000,
  /** Memory of the largest task, in GB: Amazon ECS Developer Guide, "Fargate task CPU and memory". */
  taskGb: 120,
} as const

/** Load of one Service of a workload on Sliceflow, measured in a simulation. */
export interface ServiceLoad {
  readonly messagesPerSecond: number
  readonly callsPerSecond: number
  /** API calls: reads and writes. */
  readonly apiCallsPerSecond: number
  readonly gbSecondsPerSecond: number
  /** Duration of a function call, in seconds. */
  readonly callSeconds: number
  /** Heap of the relay for the Service and its Pods, in bytes. */
  readonly relayBytes: number
}

/** Settings that raise a limit, by name. */
export interface ScaleSettings {
  readonly maximumConcurrency: number
  readonly apiCallsPerSecond: number
  /** Memory of a relay's task, in GB. */
  readonly relayGb: number
}

export interface Use {
  readonly what:
    | 'relay memory'
    | 'function calls at once'
    | 'Lambda concurrency'
    | 'API calls'
    | 'SQS in flight'
  /** Used share of the limit; 1 is all of it. */
  readonly share: number
  /** The setting that raises the limit, and its new value. */
  readonly setting: string
}

export interface ScaleRow {
  readonly clusters: number
  readonly services: number
  /** Highest share first. */
  readonly uses: readonly Use[]
  readonly shards: number
  readonly dollarsAMonth: number
}

/** Memory of Node.js and the relay without clusters, in bytes: test/bench/race measures 90 to 140 MB. */
const RELAY_BASE_BYTES = 90e6
/** Maximum share of the memory for the heap: above it, garbage collection takes most of the time. */
const HEAP_SHARE = 0.6
const RELAY_VCPUS = 0.25

/**
 * Simulates some Services of a cluster and measures the size of the relay's index for them.
 * @example
 * ```ts
 * const size = { services: 5, endpoints: 20, nodes: 5 }
 * const workload = churnWorkload(size, { duration: 60, meanChange: 30, seed: 1 })
 * const { messagesPerSecond } = await measureService(workload)
 * messagesPerSecond > 0 // => true
 * ```
 */
export async function measureService(workload: Workload): Promise<ServiceLoad> {
  const { run } = await simulate({ workload, policy: 'in-tree' })
  const services = workload.services.length
  const each = (count: number): number => count / run.seconds / services
  return {
    messagesPerSecond: each(run.messages),
    callsPerSecond: each(run.batches),
    apiCallsPerSecond: each(run.apiReads + run.writes),
    gbSecondsPerSecond: each(run.gbSeconds),
    callSeconds: run.batches === 0 ? 0 : run.gbSeconds / FUNCTION_GB / run.batches,
    relayBytes: relayBytes(workload) / services,
  }
}

/** Number of Pods to measure: enough that memory which the process frees meanwhile is negligible. */
const MEASURED_PODS = 20_000

/** Measures the heap that the relay's index needs for the Services and Pods of a workload. */
function relayBytes(workload: Workload): number {
  const copies = Math.ceil(MEASURED_PODS / Math.max(1, workload.pods.length))
  const before = heapBytes()
  const indexes = Array.from({ length: copies }, () => indexOf(workload))
  const after = heapBytes()
  const pods = indexes.reduce((sum, index) => sum + index.size().pods, 0)
  return pods === 0 ? 0 : Math.max(0, after - before) / copies
}

function indexOf({ services, pods }: Workload): ClusterIndex {
  const index = createClusterIndex('measured', 'replace')
  for (const service of services) index.services.put(service)
  for (const pod of pods) index.pods.put(pod)
  return index
}

/** Maximum number of collections: a single one leaves objects that finalizers or a second pass free. */
const MAX_COLLECTIONS = 3

function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  const gc: unknown = runInNewContext('gc')
  let used = process.memoryUsage().heapUsed
  if (typeof gc !== 'function') return used
  for (let collections = 0; collections < MAX_COLLECTIONS; collections++) {
    gc()
    const { heapUsed } = process.memoryUsage()
    if (collections > 0 && used - heapUsed < used / 1000) return heapUsed
    used = heapUsed
  }
  return used
}

/**
 * @param services number in each cluster
 * @example
 * ```ts
 * const size = { services: 5, endpoints: 20, nodes: 5 }
 * const workload = churnWorkload(size, { duration: 60, meanChange: 30, seed: 1 })
 * const load = await measureService(workload)
 * const settings = { maximumConcurrency: 20, apiCallsPerSecond: 50, relayGb: 2 }
 * scaleTo(load, { clusters: 40, services: 500 }, settings).services // => 20_000
 * ```
 */
export function scaleTo(
  load: ServiceLoad,
  { clusters, services }: { clusters: number; services: number },
  settings: ScaleSettings,
): ScaleRow {
  const all = clusters * services
  const concurrency = load.callsPerSecond * all * load.callSeconds
  const relayBytesNeeded = RELAY_BASE_BYTES + load.relayBytes * all
  const roomBytes = settings.relayGb * 1e9 * HEAP_SHARE
  const shards = Math.max(1, Math.ceil((load.relayBytes * all) / Math.max(1, roomBytes - RELAY_BASE_BYTES)))
  const callsPerCluster = load.apiCallsPerSecond * services
  const uses: Use[] = [
    {
      what: 'relay memory',
      share: relayBytesNeeded / roomBytes,
      setting: `shard INDEX/${Math.max(2, shards)}, or a larger task`,
    },
    {
      what: 'function calls at once',
      share: concurrency / settings.maximumConcurrency,
      setting: `maximumConcurrency ${Math.max(2, Math.ceil(concurrency * 2))}`,
    },
    {
      what: 'Lambda concurrency',
      share: concurrency / LIMITS.lambdaConcurrency,
      setting: "the account's quota, or a longer coalescingWindow",
    },
    {
      what: 'API calls',
      share: callsPerCluster / settings.apiCallsPerSecond,
      setting: `apiCallsPerSecond ${Math.ceil(callsPerCluster * 2)}, or a longer coalescingWindow`,
    },
    {
      what: 'SQS in flight',
      share: (concurrency * BATCH_SIZE) / LIMITS.sqsInFlight,
      setting: 'a queue for each shard',
    },
  ]
  const usage = usageDollars({
    batches: load.callsPerSecond * all * SECONDS_A_MONTH,
    gbSeconds: load.gbSecondsPerSecond * all * SECONDS_A_MONTH,
  })
  return {
    clusters,
    services: all,
    uses: uses.toSorted((a, b) => b.share - a.share),
    shards,
    dollarsAMonth: usage + taskDollars(shards, RELAY_VCPUS, settings.relayGb),
  }
}

export const MAX_SERVICES = 1_000_000
export const CLUSTER_COUNTS: readonly number[] = [1, 10, 100, 1000, 10_000]

/** Number of simulated Services to measure; Services do not depend on each other. */
export const MEASURED_SERVICES = 50
