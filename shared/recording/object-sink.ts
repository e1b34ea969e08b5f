import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { untilAborted } from '../kubernetes/index.ts'
import type { Chunk, RecordingSink } from './sink.ts'

export interface ObjectSinkOptions {
  /**
   * Stores an object.
   * @param key such as `recordings/day=2026-11-22/cluster=eu-1/1795317124123-host-1-0.ndjson.gz`: by its time
   */
  readonly put: (key: string, body: Buffer, signal: AbortSignal) => Promise<unknown>
  /** Name of this process alone among all that record to the same place. */
  readonly worker: string
  /** Bytes that may wait to be stored; default 8 MiB. */
  readonly maxWaitingBytes?: number
  /** Called with each object that could not be stored; the records in it are lost. */
  readonly onProblem: (error: unknown) => void
  /** Milliseconds since the epoch; default `Date.now`. */
  readonly now?: () => number
}

/** Gathers what is recorded, and stores an object a cluster each time it is flushed. */
export interface ObjectSink extends RecordingSink {
  /** Stores what waits. Never rejects: what is not stored when `signal` aborts is lost. */
  flush(signal: AbortSignal): Promise<void>
}

/** The folder that all objects are in. */
export const RECORDINGS_PREFIX = 'recordings/'

const MIB = 2 ** 20
const DAY_MS = 86_400_000
const compress = promisify(gzip)

/**
 * Creates a sink that many workers may have to the same place, each storing what it has when it has to, by
 * day and cluster: whoever reads a day and a cluster reads nothing else, and each day can be read without the
 * days before.
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
  /** Since the epoch: of what waits. */
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
