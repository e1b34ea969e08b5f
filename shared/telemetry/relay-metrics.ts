import { Counter, Gauge, type Registry } from 'prom-client'

/** One watch of a cluster, as it is now. */
export interface WatchReading {
  /** Kind of the objects, such as `services`, `pods`, `nodes` or `slices`. */
  readonly kind: string
  /** Since the last byte of a list or watch; absent before the first. */
  readonly secondsSinceLastByte?: number
  /** Absent before the first bookmark. */
  readonly secondsSinceLastBookmark?: number
  readonly failing: boolean
  /** Objects in the index of the relay. */
  readonly objects: number
}

/** Keys that wait for one lane. */
export interface LaneReading {
  readonly lane: string
  /** Keys not yet accepted by the queue. */
  readonly pending: number
  /** Age of the oldest of them, in seconds; 0 if none waits. */
  readonly oldestSeconds: number
}

export interface ClusterReading {
  readonly cluster: string
  /** Whether every kind was listed once; absent if another reading reports it. */
  readonly synced?: boolean
  /** Since when its Services are paused, in RFC 3339; undefined where that is not known. */
  readonly paused?: readonly (string | undefined)[]
  readonly watches: readonly WatchReading[]
  readonly lanes: readonly LaneReading[]
}

const WATCH = ['cluster', 'kind'] as const
const LANE = ['cluster', 'lane'] as const

const COUNTERS = {
  relists: { labels: WATCH, help: 'Whole lists after the first one' },
  reconnects: { labels: WATCH, help: 'Watches opened after the first one' },
  watch_failures: {
    labels: WATCH,
    help: 'Lists and watches that failed; a watch that ended normally does not count',
  },
  events: { labels: WATCH, help: 'Objects that watches reported' },
  malformed_objects: { labels: WATCH, help: 'Objects skipped because they are malformed' },
  keys_sent: { labels: LANE, help: 'Keys that the queue has accepted' },
  keys_rejected: { labels: LANE, help: 'Keys that the queue rejected permanently; dropped' },
  keys_swept: {
    labels: ['cluster', 'reason'],
    help: 'Keys put into the sweep lane, by the reason: start (no checkpoint), changed (since the checkpoint), outage, or sweep (slices that are wrong, or may be)',
  },
  standby_keys: {
    labels: ['cluster', 'state'],
    help: 'Keys that a standby sent, as their slices stayed wrong, or as nothing shows their state and they were not written (unknown)',
  },
  keys_suppressed: {
    labels: ['cluster'],
    help: 'Keys not sent at the start as nothing changed since the checkpoint',
  },
  checkpoint_failures: { labels: ['cluster'], help: 'Checkpoints that could not be written' },
  send_errors: {
    labels: ['lane'],
    help: 'Requests that the queue refused, in part or as a whole; tried again',
  },
} as const

type RelayCounter = keyof typeof COUNTERS
type RelayLabels<Name extends RelayCounter> = Readonly<
  Record<(typeof COUNTERS)[Name]['labels'][number], string>
>

/** Metrics of a relay, `sliceflow_relay_…`. Labels are clusters, kinds, lanes and reasons, not Services. */
export interface RelayMetrics {
  count<Name extends RelayCounter>(name: Name, labels: RelayLabels<Name>, amount?: number): void
  /** Reads the gauges from here as well whenever the registry is read. */
  readFrom(read: () => readonly ClusterReading[]): void
}

const PREFIX = 'sliceflow_relay_'

/** @param registry of the process that the relay runs in; one relay a registry */
export function createRelayMetrics(registry: Registry): RelayMetrics {
  const registers = [registry]
  const counters = new Map(
    Object.entries(COUNTERS).map(([name, { labels, help }]) => [
      name,
      new Counter({ name: `${PREFIX}${name}_total`, help, labelNames: [...labels], registers }),
    ]),
  )
  const sources: (() => readonly ClusterReading[])[] = []

  type Sample = readonly [labels: Record<string, string>, value: number | undefined]
  function gauge(name: string, help: string, samples: (reading: ClusterReading) => Sample[]): void {
    new Gauge({
      name: PREFIX + name,
      help,
      labelNames: ['cluster', 'kind', 'lane'],
      registers,
      collect() {
        this.reset()
        for (const reading of sources.flatMap((read) => read()))
          for (const [labels, value] of samples(reading)) if (value !== undefined) this.set(labels, value)
      },
    })
  }
  function watchGauge(name: string, help: string, of: (watch: WatchReading) => number | undefined): void {
    gauge(name, help, ({ cluster, watches }) =>
      watches.map((watch) => [{ cluster, kind: watch.kind }, of(watch)]),
    )
  }
  function laneGauge(name: string, help: string, of: (lane: LaneReading) => number): void {
    gauge(name, help, ({ cluster, lanes }) => lanes.map((lane) => [{ cluster, lane: lane.lane }, of(lane)]))
  }

  gauge('cluster_synced', '1: every kind of the cluster was listed once', ({ cluster, synced }) => [
    [{ cluster }, synced === undefined ? undefined : Number(synced)],
  ])
  gauge('paused_services', 'Services that are paused by annotation', ({ cluster, paused }) => [
    [{ cluster }, paused?.length],
  ])
  gauge(
    'longest_pause_seconds',
    'Seconds since the first of the paused Services was paused; 0 if none is, or it is not known since when',
    ({ cluster, paused }) => [[{ cluster }, paused && longestPause(paused, Date.now())]],
  )
  watchGauge('watch_failing', '1: the watch fails and is retried', ({ failing }) => Number(failing))
  watchGauge(
    'watch_last_byte_seconds',
    'Seconds since the last byte of the watch; above 80 it is considered dead',
    ({ secondsSinceLastByte }) => secondsSinceLastByte,
  )
  watchGauge(
    'watch_last_bookmark_seconds',
    'Seconds since the last bookmark of the watch; API servers send one a minute',
    ({ secondsSinceLastBookmark }) => secondsSinceLastBookmark,
  )
  watchGauge('objects', 'Objects in the index of the relay', ({ objects }) => objects)
  laneGauge('keys_pending', 'Keys not yet accepted by the queue', ({ pending }) => pending)
  laneGauge(
    'oldest_pending_key_seconds',
    'Seconds that the oldest key has waited for the queue',
    ({ oldestSeconds }) => oldestSeconds,
  )

  return {
    count: (name, labels, amount = 1) => counters.get(name)?.inc(labels, amount),
    readFrom: (source) => {
      sources.push(source)
    },
  }
}

/** @returns seconds since the first of these times */
function longestPause(paused: readonly (string | undefined)[], now: number): number {
  const times = paused.flatMap((since) => (since === undefined ? [] : [Date.parse(since)]))
  return Math.max(0, ...times.map((time) => (now - time) / 1000))
}
