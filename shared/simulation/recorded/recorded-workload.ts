import type { RecordingLine, StartRecord } from '../../recording/index.ts'
import type { Events, Workload, WorkloadEvent } from '../workloads/index.ts'
import { RecordedWorkloadError } from './errors.ts'
import { createEventOrder, type EventOrder } from './event-order.ts'
import { createPlayer, type Player } from './player.ts'

export interface RecordedWorkloadOptions {
  /** Opens the recording from its begin, each time; its lines come in the order of time. */
  readonly open: () => AsyncIterable<RecordingLine>
  /** Cluster of a recording of several. Default: the only one. */
  readonly cluster?: string | undefined
  /** Milliseconds since the epoch: what was before has happened already. Default: from the first line on. */
  readonly since?: number | undefined
  /** Milliseconds since the epoch; default: up to the last line. */
  readonly until?: number | undefined
}

/** Settings of the recorder that say how its writes were gathered and packed. */
export type RecordedSettings = StartRecord['settings']

/** A recording of a cluster, as it happened to its Services and Pods. */
export interface RecordedWorkload extends Workload {
  readonly cluster: string
  readonly settings: RecordedSettings
}

/**
 * A change is written so much later at most, beside its coalescing window: what comes later still is moved to
 * then.
 */
const LATEST_MS = 10_000

/**
 * Makes a workload of a recording. What its slices do not show is not in it: changes that others undid before
 * a write, selectors, Pods that are not published. Only so much of it is in memory as a write may come after
 * its changes.
 * @throws RecordedWorkloadError where it holds no write, or several clusters and none is chosen; later while
 *   it is played, too
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
        chosen: options.cluster,
        latestMs: latestMs(settings),
      })
    },
  }
}

/** Reads as far as it takes to know the cluster and its settings. */
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

/** Computes how late a write may come after its changes. Patient changes rest for three windows. */
function latestMs({ coalescingWindow }: RecordedSettings): number {
  return LATEST_MS + (typeof coalescingWindow === 'number' ? 3000 * coalescingWindow : 0)
}

interface Play extends Omit<RecordedWorkloadOptions, 'cluster'> {
  readonly cluster: string
  /** The cluster that was asked for by name. */
  readonly chosen: string | undefined
  readonly latestMs: number
}

async function* playAll(
  player: Player,
  order: EventOrder,
  { since = Number.NEGATIVE_INFINITY, ...play }: Play,
): AsyncGenerator<Events> {
  let begin: number | undefined
  const relayEvent = (event: WorkloadEvent): WorkloadEvent => ({
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
    // How long a look took before the time that is asked for says nothing of it.
    for (const sync of player.play(line)) if (sync.atMs >= (begin ?? at)) order.add({ ...sync, atMs: at })
    const past = order.takeUntil(at - play.latestMs)
    if (begin !== undefined && past.length > 0) yield past.map(relayEvent)
  }
  if (begin === undefined)
    throw new RecordedWorkloadError('the recording has nothing of the time that is asked for')
  yield order.takeUntil(Number.POSITIVE_INFINITY).map(relayEvent)
}

/** @throws RecordedWorkloadError where none of several clusters is chosen */
async function* linesOf({
  open,
  cluster,
  chosen,
  until = Number.POSITIVE_INFINITY,
}: Play): AsyncGenerator<RecordingLine> {
  for await (const line of open()) {
    if (line.cluster === cluster) {
      if (Date.parse(line.time) > until) return
      yield line
    } else if (chosen === undefined) throw severalClusters(cluster, line.cluster)
  }
}

const severalClusters = (one: string, other: string): RecordedWorkloadError =>
  new RecordedWorkloadError(
    `the recording is of several clusters, ${one} and ${other} among them: choose one with --cluster`,
  )
