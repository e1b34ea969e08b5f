import type { Registry } from 'prom-client'
import { GUARDS } from '../../../shared/reconciler/index.ts'
import {
  createDeadLetterCount,
  type MetricValue,
  readMetric,
  type StatusDocument,
  sumOf,
} from '../../local/index.ts'
import { type OperatorCommands, type OperatorTasks, operatorTasks } from '../../operator-tasks/index.ts'

interface FiguresOptions {
  readonly registry: Registry
  readonly status: () => StatusDocument
  readonly commands: OperatorCommands
  /** Whether the queues may be asked now: SQS takes money for each request. */
  readonly mayAskQueues: () => boolean
  /** Milliseconds since the epoch; default `Date.now`. */
  readonly now?: () => number
}

/** A moment of the charts. */
interface Sample {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Slices written a second, since the sample before. */
  readonly writes: number
  /** Number of keys with a change that is not synced yet. */
  readonly waiting: number
  /** Delay of the slowest cluster in seconds; absent without any change. */
  readonly p50?: number
  readonly p99?: number
}

/** Figures that the page shows beside slices and events. */
interface FiguresReading extends Sample {
  readonly written: number
  /** Waiting keys that the queue has not accepted yet. */
  readonly pending: number
  /** Absent if the queues do not report it, or have none. */
  readonly deadLetters?: number
  /** What each guard does that a person has to act on. */
  readonly guards: readonly GuardFigure[]
  readonly tasks: OperatorTasks
  /** The worst first. */
  readonly clusters: readonly ClusterFigures[]
  readonly hidden: number
}

interface GuardFigure {
  readonly name: string
  /** Such as `plans held`. */
  readonly label: string
  /** Number of Services now, or of times since the start. */
  readonly count: number
  readonly sinceStart: boolean
}

export interface Figures {
  /** The latest samples, the oldest first. */
  readonly samples: readonly Sample[]
  read(): Promise<FiguresReading>
}

/** Two minutes, at one a second. */
const MAX_SAMPLES = 120
/** Clusters that are shown, the worst ones first. */
const MAX_CLUSTERS = 100
/** Minimum milliseconds between reads of the queues. */
const QUEUES_EVERY_MS = 2_000

const URGENCY: Readonly<Record<ClusterFigures['state'], number>> = {
  unreachable: 0,
  listing: 1,
  reachable: 2,
  'not followed': 3,
}

export function createFigures({
  registry,
  status,
  commands,
  mayAskQueues,
  now = Date.now,
}: FiguresOptions): Figures {
  const letters = createDeadLetterCount({ registry, status, everyMs: QUEUES_EVERY_MS, now })
  const samples: Sample[] = []
  let before: { readonly at: number; readonly written: number } | undefined

  function rateSince(at: number, written: number): number {
    const seconds = before === undefined ? 0 : (at - before.at) / 1000
    const rate = seconds > 0 ? (written - (before?.written ?? 0)) / seconds : 0
    before = { at, written }
    return rate
  }

  async function deadLetters(): Promise<number | undefined> {
    if (mayAskQueues()) return letters.read()
    letters.forget()
    return undefined
  }

  return {
    samples,
    async read() {
      const at = now()
      const document = status()
      const clusters = await readClusters(registry, document)
      const count = (name: 'writes' | 'waiting' | 'pending'): number =>
        clusters.reduce((sum, one) => sum + one[name], 0)
      const slowest = (name: 'p50' | 'p99'): number => Math.max(...clusters.map((one) => one[name] ?? -1))
      const written = count('writes')
      const sample: Sample = {
        at,
        writes: rateSince(at, written),
        waiting: count('waiting'),
        ...(slowest('p50') >= 0 && { p50: slowest('p50'), p99: slowest('p99') }),
      }
      samples.push(sample)
      if (samples.length > MAX_SAMPLES) samples.shift()
      const sorted = clusters.toSorted((a, b) => URGENCY[a.state] - URGENCY[b.state])
      const unread = await deadLetters()
      return {
        ...sample,
        written,
        pending: count('pending'),
        ...(unread !== undefined && { deadLetters: unread }),
        guards: await readGuards(registry),
        tasks: operatorTasks(document, unread, commands),
        clusters: sorted.slice(0, MAX_CLUSTERS),
        hidden: Math.max(0, sorted.length - MAX_CLUSTERS),
      }
    },
  }
}

const readGuards = (registry: Registry): Promise<GuardFigure[]> =>
  Promise.all(
    GUARDS.flatMap(({ name, metric, alarm, problem }) =>
      metric === undefined || alarm === undefined || problem === undefined
        ? []
        : [{ name, label: alarm.line, metric: metric.name, sinceStart: metric.type === 'counter' }],
    ).map(async ({ metric, ...figure }) => ({
      ...figure,
      count: sumOf(await readMetric(registry, metric)),
    })),
  )

/** A cluster as the page shows it. Times are RFC 3339. */
interface ClusterFigures {
  readonly name: string
  /**
   * `unreachable`: it does not answer, or a watch fails. `listing`: not every kind was listed yet.
   * `not followed`: another relay has it.
   */
  readonly state: 'reachable' | 'unreachable' | 'listing' | 'not followed'
  /** Number of keys with a change that is not synced yet. */
  readonly waiting: number
  /** Number of these that the queue has not accepted yet. */
  readonly pending: number
  readonly writes: number
  /** Time from a change to the slices written, in seconds, of the last 1,000 changes; absent without any. */
  readonly p50?: number
  readonly p99?: number
  /** Keys that failed since the start; each was tried again. */
  readonly failures: number
  readonly lastChangeAt?: string
  readonly lastSyncAt?: string
}

/** Level of a circuit that lets no call out. */
const OPEN = 2

export async function readClusters(
  registry: Registry,
  { clusters }: StatusDocument,
): Promise<readonly ClusterFigures[]> {
  const [synced, failing, circuits, pending] = await Promise.all(
    [
      'sliceflow_relay_cluster_synced',
      'sliceflow_relay_watch_failing',
      'sliceflow_cluster_circuit_state',
      'sliceflow_relay_keys_pending',
    ].map(async (name) => byCluster(await readMetric(registry, name))),
  )
  return clusters.map(({ name, waiting, writes, failures, lag, lastChangeAt, lastSyncAt }) => {
    const isFailing = most(failing, name) > 0 || most(circuits, name) === OPEN
    const answering = most(synced, name) > 0 ? 'reachable' : 'listing'
    const followed = isFailing ? 'unreachable' : answering
    return {
      name,
      state: synced?.has(name) ? followed : 'not followed',
      waiting,
      pending: (pending?.get(name) ?? []).reduce((sum, value) => sum + value, 0),
      writes,
      failures,
      ...{ p50: lag?.p50, p99: lag?.p99, lastChangeAt, lastSyncAt },
    }
  })
}

type ByCluster = ReadonlyMap<string, readonly number[]>

function byCluster(values: readonly MetricValue[]): ByCluster {
  const groups = Map.groupBy(values, ({ labels }) => String(labels.cluster))
  return new Map([...groups].map(([name, group]) => [name, group.map(({ value }) => value)]))
}

const most = (values: ByCluster | undefined, name: string): number =>
  Math.max(0, ...(values?.get(name) ?? []))
