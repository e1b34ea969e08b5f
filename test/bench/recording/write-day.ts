import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Endpoint } from '../../../shared/endpointslice/index.ts'
import type { ChangeRecord, RecordingLine, WriteRecord } from '../../../shared/recording/index.ts'
import { createRandom, type Random } from '../../support/random.ts'

export interface DayOptions {
  readonly file: string
  /** Seconds of recorded time. */
  readonly seconds: number
  /** Changes of Pods a second, over all Services. */
  readonly rate: number
  readonly services: number
  /** Pods of each Service, all in one slice. */
  readonly pods: number
  /** The coalescing window that it was recorded with, in seconds; 0: each change is a write. */
  readonly window: number
}

const BEGIN = Date.UTC(2026, 10, 22)
const BY = { v: 1, worker: 'bench-1' } as const
const SYNC_MS = 12
const CHUNK_LINES = 500

interface Synced {
  readonly at: number
  readonly service: number
  readonly pods: readonly number[]
}

/**
 * Writes a recording as `run --record` makes it: Pods of all Services become unready and ready again, by
 * chance, and what changes during a key's delay is one write.
 * @returns how many changes of Pods are in it
 */
export async function writeDay(options: DayOptions): Promise<number> {
  let changes = 0
  async function* chunks(): AsyncGenerator<string> {
    let lines: string[] = []
    for (const line of recordingOf(options)) {
      if (line.kind === 'write' && line.action === 'update') changes += line.changed.length
      lines.push(JSON.stringify(line))
      if (lines.length < CHUNK_LINES) continue
      yield `${lines.join('\n')}\n`
      lines = []
    }
    yield `${lines.join('\n')}\n`
  }
  await pipeline(Readable.from(chunks()), createWriteStream(options.file, { mode: 0o600 }))
  return changes
}

function* recordingOf(options: DayOptions): Generator<RecordingLine> {
  const { services, pods, window } = options
  const settings = { coalescingWindow: window, maxEndpointsPerSlice: 100, packing: 'upstream' }
  yield { ...BY, kind: 'start', time: timeOf(BEGIN), cluster: 'eu-1', share: 1, settings }
  const versions = Array.from({ length: services }, (_, service) => 1000 + service)
  const ready = versions.map(() => Array.from({ length: pods }, () => true))
  let version = 1000 + services
  for (const service of versions.keys()) yield snapshotOf(service, pods)
  for (const sync of syncsOf(options, createRandom(1))) {
    const states = ready[sync.service] ?? []
    const before = versions[sync.service] ?? 0
    versions[sync.service] = version += sync.pods.length + 1
    yield changeOf(sync)
    yield writeOf(sync, states, { before, after: version })
    for (const pod of sync.pods) states[pod] = !states[pod]
  }
}

/**
 * Yields syncs in order of time. The Services take turns, so that each is delayed for the window between two
 * syncs.
 */
function* syncsOf({ seconds, rate, services, pods, window }: DayOptions, random: Random): Generator<Synced> {
  const all = seconds * rate
  const gathered = Math.max(1, (rate / services) * delaySeconds(window, pods))
  let sent = 0
  for (let syncs = 0; sent < all; syncs++) {
    const count = Math.min(
      all - sent,
      Math.max(1, Math.round((syncs + 1) * gathered) - Math.round(syncs * gathered)),
    )
    const changed = new Set<number>()
    while (changed.size < count) changed.add(random.below(pods))
    sent += count
    yield { at: BEGIN + 1000 + (sent / rate) * 1000, service: syncs % services, pods: [...changed] }
  }
}

/** Computes the delay as the relay's `RateLimiter` does for a window. */
const delaySeconds = (window: number, endpoints: number): number => (window * endpoints) / (endpoints + 200)

const ofService = (service: number) =>
  ({ cluster: 'eu-1', namespace: 'shop', service: `web-${service}` }) as const
const podName = (service: number, pod: number): string =>
  `web-${service}-7d4b9c6f5-${(10_000 + pod).toString(36)}x`
const addressOf = (service: number, pod: number): string => `10.${service >> 8}.${service & 255}.${pod + 1}`
const sliceOf = (service: number): string => `web-${service}-x7f2k`
const timeOf = (ms: number): string => new Date(ms).toISOString()
const conditionsOf = (ready: boolean) => ({ ready, serving: ready, terminating: false })

const endpointOf = (service: number, pod: number): Endpoint => ({
  addresses: [addressOf(service, pod)],
  conditions: conditionsOf(true),
  targetRef: {
    kind: 'Pod',
    namespace: 'shop',
    name: podName(service, pod),
    uid: `${String(service * 1000 + pod).padStart(8, '0')}-0000-4000-8000-000000000001`,
  },
  nodeName: `node-${(service + pod) % 50}`,
  zone: `zone-${(service + pod) % 3}`,
})

const snapshotOf = (service: number, pods: number): RecordingLine => ({
  ...BY,
  ...ofService(service),
  kind: 'snapshot',
  time: timeOf(BEGIN),
  slice: sliceOf(service),
  version: String(1000 + service),
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
  endpoints: Array.from({ length: pods }, (_, pod) => endpointOf(service, pod)),
})

const changeOf = ({ at, service, pods }: Synced): ChangeRecord => ({
  ...BY,
  ...ofService(service),
  kind: 'change',
  time: timeOf(at),
  about: ['pod'],
  count: pods.length,
  ages: pods.map((_, index) => 10 * (pods.length - index)),
  bytes: 320,
  lane: 'live',
})

const writeOf = (
  { at, service, pods }: Synced,
  ready: readonly boolean[],
  { before, after }: { before: number; after: number },
): WriteRecord => ({
  ...BY,
  ...ofService(service),
  kind: 'write',
  time: timeOf(at + SYNC_MS),
  slice: sliceOf(service),
  action: 'update',
  addressType: 'IPv4',
  versionBefore: String(before),
  versionAfter: String(after),
  came: [],
  went: [],
  changed: pods.map((pod) => ({
    addresses: [addressOf(service, pod)],
    target: podName(service, pod),
    from: { conditions: conditionsOf(ready[pod] === true) },
    to: { conditions: conditionsOf(ready[pod] !== true) },
  })),
  pods: Object.fromEntries(
    pods.map((pod, index) => [podName(service, pod), String(after - pods.length + index)]),
  ),
  trigger: timeOf(at).replace(/\.\d+Z/, 'Z'),
  message: { ids: [`m-${after}`], lane: 'live', sentAt: timeOf(at), receiveCount: 1 },
  sync: 'hint',
})
