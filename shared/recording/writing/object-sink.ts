import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { untilAborted } from '../../kubernetes/index.ts'
import type { Chunk, RecordingSink } from './sink.ts'

export interface ObjectSinkOptions {
  /**
   * Stores an object.
   * @param key sorted by time, such as
   *   `recordings/day=2026-11-22/cluster=eu-1/1795317124123-host-1-0.ndjson.gz`
   */
  readonly put: (key: string, body: Buffer, signal: AbortSignal) => Promise<unknown>
  /** Name of this process, unique among all that record to the same location. */
  readonly worker: string
  /** Maximum number of bytes waiting to be stored; default 8 MiB. */
  readonly maxWaitingBytes?: number
  /** Called for each object that could not be stored; its records are lost. */
  readonly onProblem: (error: unknown) => void
  /** Milliseconds since the epoch; default `Date.now`. */
  readonly now?: () => number
}

/** Collects records, and stores one object per cluster at each flush. */
interface ObjectSink extends RecordingSink {
  /** Stores all waiting data. Never rejects: data not stored when `signal` aborts is lost. */
  flush(signal: AbortSignal): Promise<void>
}

/** Prefix of all objects. */
export const RECORDINGS_PREFIX = 'recordings/'

const MIB = 2 ** 20
const DAY_MS = 86_400_000
const compress = promisify(gzip)

/**
 * Creates a sink for many workers that share a location. Each stores its own objects, by day and cluster: a
 * reader can select one day of one cluster, and each day is readable without earlier days.
 */
export function createObjectSink({
  put,
  worker,
  maxWaitingBytes = 8 * MIB,
  onProblem,
  now = Date.now,
}: ObjectSinkOptions): ObjectSink {
  let waiting: Chunk[] = []
  let waitingBytes = 0
  let objects = 0
  let reportLost: (chunk: Chunk) => void = () => undefined
  /** Days since the epoch, of the waiting data. */
  let day = today()

  function today(): number {
    return Math.floor(now() / DAY_MS)
  }

  async function store(chunks: readonly Chunk[], key: string, signal: AbortSignal): Promise<void> {
    try {
      signal.throwIfAborted()
      const body = await compress(chunks.map(({ lines }) => lines).join(''))
      const stored = put(key, body, signal).then(() => true)
      if ((await Promise.race([stored, untilAborted(signal)])) !== true) signal.throwIfAborted()
    } catch (error) {
      for (const chunk of chunks) reportLost(chunk)
      onProblem(error)
    }
  }

  function keyOf(cluster: string): string {
    const date = new Date(day * DAY_MS).toISOString().slice(0, 10)
    const name = `${now()}-${encodeURIComponent(worker)}-${objects++}.ndjson.gz`
    return `${RECORDINGS_PREFIX}day=${date}/cluster=${encodeURIComponent(cluster)}/${name}`
  }

  return {
    isShared: true,
    get part() {
      if (waiting.length === 0) day = today()
      return day
    },
    append(chunk) {
      const bytes = Buffer.byteLength(chunk.lines)
      if (waitingBytes + bytes > maxWaitingBytes) return false
      waiting.push(chunk)
      waitingBytes += bytes
      return true
    },
    onLost(listener) {
      reportLost = listener
    },
    async flush(signal) {
      const chunks = waiting
      waiting = []
      waitingBytes = 0
      const clusters = Map.groupBy(chunks, ({ cluster }) => cluster)
      await Promise.all([...clusters].map(([cluster, some]) => store(some, keyOf(cluster), signal)))
    },
  }
}
