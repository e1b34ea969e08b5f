import type { Registry } from '../../registry/registry.ts'
import type { Exchange } from '../exchange.ts'
import type { InFlight } from '../in-flight.ts'
import { isLongRunning } from '../request-info.ts'
import { sendText } from '../respond.ts'
import type { Metric, Sample } from './exposition.ts'
import { labelsOf, type RequestLabels } from './labels.ts'

/** Upper bounds in seconds, as upstream's. */
const BUCKETS = [
  ...[0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2],
  ...[3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60],
]

/** Counts of the requests with the same labels. */
interface Series {
  readonly labels: RequestLabels
  readonly byCode: Map<number, number>
  /** Number of requests for each bound: they took no longer than it, and longer than the bound before. */
  readonly buckets: number[]
  seconds: number
  /** Long-running ones that are not over. */
  running: number
}

/** Counts requests, and serves them and the server's contents at `/metrics`. */
export class RequestMetrics {
  readonly #registry: Registry
  readonly #inFlight: InFlight
  readonly #series = new Map<string, Series>()

  constructor(registry: Registry, inFlight: InFlight) {
    this.#registry = registry
    this.#inFlight = inFlight
  }

  /** Counts a request when it is over. */
  follow(exchange: Exchange): void {
    const started = performance.now()
    const { info, response } = exchange
    const series = this.#seriesOf(exchange)
    const isRunning = isLongRunning(info)
    if (isRunning) series.running++
    response.once('close', () => {
      if (isRunning) series.running--
      const seconds = (performance.now() - started) / 1000
      const bound = BUCKETS.findIndex((upper) => seconds <= upper)
      const index = bound < 0 ? BUCKETS.length : bound
      series.buckets[index] = (series.buckets[index] ?? 0) + 1
      series.seconds += seconds
      series.byCode.set(response.statusCode, (series.byCode.get(response.statusCode) ?? 0) + 1)
    })
  }

  /** Serves `/metrics`. */
  async serve(exchange: Exchange): Promise<void> {
    // Not needed by a start.
    const [{ EXPOSITION_TYPE, exposition }, { processMetrics }] = await Promise.all([
      import('./exposition.ts'),
      import('./process-metrics.ts'),
    ])
    const text = exposition([...this.#requests(), ...this.#objects(), ...processMetrics()])
    sendText(exchange, 200, text, EXPOSITION_TYPE)
  }

  #seriesOf(exchange: Exchange): Series {
    const { group, version, resource, resourceRequest } = exchange.info
    const endpoint = resourceRequest ? this.#registry.endpoint(group, version, resource) : undefined
    const labels = labelsOf(exchange, endpoint?.definition)
    const key = Object.values(labels).join(' ')
    const known = this.#series.get(key)
    if (known) return known
    const buckets = Array.from({ length: BUCKETS.length + 1 }, () => 0)
    const series = { labels, byCode: new Map(), buckets, seconds: 0, running: 0 }
    this.#series.set(key, series)
    return series
  }

  #requests(): Metric[] {
    const all = [...this.#series.values()]
    const { reads, writes } = this.#inFlight.current
    return [
      {
        name: 'apiserver_request_total',
        help: 'Requests that were answered, by verb, resource and code.',
        type: 'counter',
        samples: all.flatMap(({ labels, byCode }) =>
          [...byCode].map(([code, value]) => ({ labels: { code: String(code), ...labels }, value })),
        ),
      },
      {
        name: 'apiserver_request_duration_seconds',
        help: 'Seconds from the arrival of a request to the end of its answer.',
        type: 'histogram',
        samples: all.flatMap(durations),
      },
      {
        name: 'apiserver_longrunning_requests',
        help: 'Watches that are open.',
        type: 'gauge',
        samples: all
          .filter(({ labels }) => labels.verb === 'WATCH')
          .map(({ labels: { dry_run: _, ...labels }, running: value }) => ({ labels, value })),
      },
      {
        name: 'apiserver_current_inflight_requests',
        help: 'Requests that count against the bounds of what is served at the same time.',
        type: 'gauge',
        samples: [
          { labels: { request_kind: 'mutating' }, value: writes },
          { labels: { request_kind: 'readOnly' }, value: reads },
        ],
      },
    ]
  }

  #objects(): Metric[] {
    const stored = this.#registry.resources
      .filter(({ definition }) => definition.strategy?.answer === undefined)
      .map(({ definition: { group, plural }, resource, store }) => ({
        group,
        plural,
        resource,
        value: store.count(resource),
      }))
    return [
      {
        name: 'apiserver_resource_objects',
        help: 'Stored objects, by resource.',
        type: 'gauge',
        samples: stored.map(({ group, plural, value }) => ({ labels: { group, resource: plural }, value })),
      },
      {
        name: 'apiserver_storage_objects',
        help: 'Stored objects, by resource and group in one label.',
        type: 'gauge',
        samples: stored.map(({ resource, value }) => ({ labels: { resource }, value })),
      },
    ]
  }
}

function durations({ labels, buckets, seconds }: Series): Sample[] {
  let count = 0
  const bounded = buckets.map((own, index) => {
    count += own
    const le = index < BUCKETS.length ? String(BUCKETS[index]) : '+Inf'
    return { suffix: '_bucket', labels: { ...labels, le }, value: count }
  })
  if (count === 0) return []
  return [
    ...bounded,
    { suffix: '_sum', labels: { ...labels }, value: seconds },
    { suffix: '_count', labels: { ...labels }, value: count },
  ]
}
