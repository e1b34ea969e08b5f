import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type EndpointSlice, LABEL_SERVICE_NAME } from '../../../shared/endpointslice/index.ts'
import {
  createApiClient,
  ENDPOINT_SLICES,
  loadClusters,
  runWatcher,
} from '../../../shared/kubernetes/index.ts'
import { startRun } from '../race/contenders.ts'
import { treeUsage } from '../race/usage.ts'
import { type ChangeRecord, createChangeRecord } from '../relay/change-record.ts'
import type { ChangesProcess } from '../relay/processes.ts'

interface PhaseOptions<Result> {
  /** A file with a context for each cluster. */
  readonly kubeconfig: string
  readonly quiet: ChangesProcess
  /** Names of the quiet clusters. */
  readonly names: readonly string[]
  /** Further clusters that are followed. */
  readonly others: readonly string[]
  readonly seconds: number
  /** Goes on while the quiet clusters are measured. */
  readonly during?: () => Promise<Result>
}

/** Measurement of one `sliceflow run`. */
export interface Phase<Result> {
  /** Times from a change of a pod to the slice that shows it, in milliseconds. */
  readonly latencies: readonly number[]
  /** Changes that no slice showed in time. */
  readonly open: number
  /** Processor time of the process during the measurement. */
  readonly cpuSeconds: number
  readonly memoryMb: number
  readonly result: Result
}

/** Changes a second of each quiet cluster. */
const CHANGES_PER_SECOND = 1
/** After the first lists: what they have found is written by then. */
const SETTLE_MS = 5_000
/** A change that is later than this is not late but lost. */
const SEEN_MS = 30_000
const POLL_MS = 100

/** Starts a `sliceflow run`, changes pods of each quiet cluster, and measures how long their slices took. */
export function playPhase(options: PhaseOptions<never>): Promise<Phase<undefined>>
export function playPhase<Result>(
  options: PhaseOptions<Result> & { readonly during: () => Promise<Result> },
): Promise<Phase<Result>>
export async function playPhase<Result>(options: PhaseOptions<Result>): Promise<Phase<Result | undefined>> {
  const { kubeconfig, quiet, names, others, seconds, during } = options
  const record = createChangeRecord()
  const closing = new AbortController()
  const contexts = [...names, ...others].flatMap((cluster) => ['--context', cluster])
  const run = await startRun(['--kubeconfig', kubeconfig, ...contexts])
  try {
    await watchSlices(kubeconfig, { names, record, signal: closing.signal })
    await sleep(SETTLE_MS)
    const end = quiet.onChanged(({ cluster, service, at, ready }) =>
      record.changed(nameOf(cluster, service), at, ready),
    )
    const before = await treeUsage(run.pid)
    const load = { perSecond: CHANGES_PER_SECOND, seconds, isReported: true }
    const [result] = await Promise.all([
      during?.(),
      ...names.map((cluster) => quiet.change({ cluster, ...load })),
    ])
    const after = await treeUsage(run.pid)
    const deadline = performance.now() + SEEN_MS
    while (record.open > 0 && performance.now() < deadline) await sleep(POLL_MS)
    end()
    return {
      latencies: record.latencies,
      open: record.open,
      cpuSeconds: after.cpuSeconds - before.cpuSeconds,
      memoryMb: await peakMemoryMb(run.pid),
      result,
    }
  } finally {
    closing.abort()
    await run.stop('SIGTERM')
  }
}

async function peakMemoryMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1024
}

const nameOf = (cluster: string, service: string): string => `${cluster}/${service}`

interface WatchOptions {
  readonly names: readonly string[]
  readonly record: ChangeRecord
  readonly signal: AbortSignal
}

/** Resolves when every slice was listed. */
async function watchSlices(kubeconfig: string, { names, record, signal }: WatchOptions): Promise<void> {
  const connections = await loadClusters(kubeconfig, names)
  const watches = connections.map((connection) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const show = ({ metadata, endpoints }: EndpointSlice): void => {
      const service = metadata?.labels?.[LABEL_SERVICE_NAME] ?? ''
      const ready = endpoints?.[0]?.conditions?.ready
      if (ready !== undefined) record.shown(nameOf(connection.name, service), Date.now(), ready)
    }
    const handler = { listing() {}, object: show, listed: () => resolve(), changed: show, deleted() {} }
    const client = createApiClient(connection)
    void runWatcher(client, { resource: ENDPOINT_SLICES, handler, signal }).then(() => client.close())
    return promise
  })
  await Promise.all(watches)
}
