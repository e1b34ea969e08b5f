import type { RecordingLine, StartRecord } from '../../recording/index.ts'
import type { Events, Workload, WorkloadEvent } from '../workloads/index.ts'
import { RecordedWorkloadError } from './errors.ts'
import { createEventOrder, type EventOrder } from './event-order.ts'
import { createPlayer, type Player } from './player.ts'

export interface RecordedWorkloadOptions {
  /** Opens the recording from its start at each call; yields its lines in the order of time. */
  readonly open: () => AsyncIterable<RecordingLine>
  /** Cluster to select from a recording of several. Default: the only one. */
  readonly cluster?: string | undefined
  /** Milliseconds since the epoch: earlier changes only make the initial state. Default: the first line. */
  readonly since?: number | undefined
  /** Milliseconds since the epoch. Default: the last line. */
  readonly until?: number | undefined
}

/** Settings of the recorder for coalescing and packing. */
export type RecordedSettings = StartRecord['settings']

/** A recording of a cluster as a workload. */
export interface RecordedWorkload extends Workload {
  readonly cluster: string
  readonly settings: RecordedSettings
}

/** Longest time from a change to its write beyond the coalescing window; later ones are moved here. */
const LATEST_MS = 10_000

/**
 * Creates a workload from a recording. It lacks what slices do not show: changes that were undone before a
 * write, selectors, Pods in no slice. Memory holds only the time by which a write may follow its changes.
 * @throws RecordedWorkloadError if it has no write, or several clusters and none is selected; also while
 *   its events are read
 * @example
 * ```ts
 * async function* open() {} // the lines of a recording, such as readRecording() gives them
 * await recordedWorkload({ open }) // throws /no write/
 * ```
 */
export async function recordedWorkload(options: RecordedWorkloadOptions): Promise<RecordedWorkload> {
  const { cluster, settings } = await firstOf(options)
  return {
    services: [],
    nodes: [],
    pods: [],
    isSealed: true,
    areMomentsOne: true,
    cluster,
    settings,
    events: () => {
      const order = createEventOrder()
      return playAll(createPlayer(order.add), order, {
        ...options,
        cluster,
        selected: options.cluster,
        latestMs: latestMs(settings),
      })
    },
  }
}

/** Reads until the cluster and its settings are known. */
async function firstOf({ open, cluster }: RecordedWorkloadOptions) {
  let settings: RecordedSettings = {}
  for await (const line of open()) {
    if (cluster !== undefined && line.cluster !== cluster) continue
    if (line.kind === 'start') settings = line.settings
    if (line.kind === 'write' || line.kind === 'snapshot') return { cluster: line.cluster, settings }
  }
  const whose = cluster === undefined ? '' : ` of the cluster ${cluster}`
  throw new RecordedWorkloadError(
    `the recording has no write of a slice${whose}: record with "sliceflow run --record FILE" while Pods change`,
  )
}

/** Computes the maximum time from a change to its write. Deferrable changes are delayed for three windows. */
function latestMs({ coalescingWindow }: RecordedSettings): number {
  return LATEST_MS + (typeof coalescingWindow === 'number' ? 3000 * coalescingWindow : 0)
}

interface Play extends Omit<RecordedWorkloadOptions, 'cluster'> {
  readonly cluster: string
  /** The cluster that the caller selected by name. */
  readonly selected: string | undefined
  readonly latestMs: number
}

async function* playAll(
  player: Player,
  order: EventOrder,
  { since = Number.NEGATIVE_INFINITY, ...play }: Play,
): AsyncGenerator<Events> {
  let begin: number | undefined
  const shifted = (event: WorkloadEvent): WorkloadEvent => ({
    ...event,
    atMs: Math.max(0, event.atMs - (begin ?? 0)),
  })
  for await (const line of linesOf(play)) {
    const at = Date.parse(line.time)
    if (begin === undefined && at >= since) {
      // Earlier events only make the initial state.
      order.takeUntil(Number.POSITIVE_INFINITY)
      begin = at
      yield [{ atMs: 0, found: player.found() }]
    }
    // Durations of syncs before `since` do not count.
    for (const sync of player.play(line)) if (sync.atMs >= (begin ?? at)) order.add({ ...sync, atMs: at })
    const past = order.takeUntil(at - play.latestMs)
    if (begin !== undefined && past.length > 0) yield past.map(shifted)
  }
  if (begin === undefined)
    throw new RecordedWorkloadError('the recording has nothing of the time that is asked for')
  yield order.takeUntil(Number.POSITIVE_INFINITY).map(shifted)
}

/** @throws RecordedWorkloadError if there are several clusters and none is selected */
async function* linesOf({
  open,
  cluster,
  selected,
  until = Number.POSITIVE_INFINITY,
}: Play): AsyncGenerator<RecordingLine> {
  for await (const line of open()) {
    if (line.cluster === cluster) {
      if (Date.parse(line.time) > until) return
      yield line
    } else if (selected === undefined) throw severalClusters(cluster, line.cluster)
  }
}

const severalClusters = (one: string, other: string): RecordedWorkloadError =>
  new RecordedWorkloadError(
    `the recording is of several clusters, ${one} and ${other} among them: choose one with --cluster`,
  )
