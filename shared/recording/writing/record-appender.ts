import { RECORD_VERSION, type StartRecord } from '../format/record.ts'
import type { RecordingSink } from './sink.ts'
import type { Content } from './write-record.ts'

interface RecordAppenderOptions {
  readonly sink: RecordingSink
  readonly worker: string
  readonly share: number
  readonly settings: StartRecord['settings']
  readonly onLost?: (records: number) => void
  /** Called before records are lost: afterwards no slice counts as recorded. */
  readonly onAnew: () => void
}

/** Time and invocation of a recorded event. */
export interface Moment {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Id of the invocation at that time. */
  readonly request: string | undefined
}

/**
 * Appends records to a sink. The first record of a cluster in each part is a start record; after a loss, a
 * record with the number of lost records comes first.
 */
export function createRecordAppender(options: RecordAppenderOptions) {
  const { sink, worker, share, settings, onLost, onAnew } = options
  const started = new Set<string>()
  /** Lost records that are not yet reported, by cluster. */
  const lost = new Map<string, number>()

  function lose(cluster: string, records: number, lostBefore: number): void {
    lost.set(cluster, (lost.get(cluster) ?? 0) + records + lostBefore)
    startAnew()
    onLost?.(records)
  }

  /** Starts every cluster again with a start record. */
  function startAnew(): void {
    onAnew()
    started.clear()
  }

  /** @returns whether the sink accepted them */
  function append(cluster: string, moment: Moment, contents: readonly Content[]): boolean {
    if (contents.length === 0) return true
    const records = contents.length
    const lostBefore = lost.get(cluster) ?? 0
    const first: Content[] = []
    if (!started.has(cluster)) first.push({ kind: 'start', cluster, share, settings })
    if (lostBefore > 0) first.push({ kind: 'lost', cluster, count: lostBefore })
    const lines = linesOf(moment, [...first, ...contents])
    lost.delete(cluster)
    started.add(cluster)
    const isTaken = sink.append({ cluster, lines, records, lostBefore })
    if (!isTaken) lose(cluster, records, lostBefore)
    return isTaken
  }

  function linesOf({ at, request }: Moment, contents: readonly Content[]): string {
    const time = new Date(at).toISOString()
    const by = { worker, request }
    const head = ({ kind }: Content): object => ({ v: RECORD_VERSION, kind, time })
    return contents.map((content) => `${JSON.stringify({ ...head(content), ...content, ...by })}\n`).join('')
  }

  return { append, lose, startAnew }
}
