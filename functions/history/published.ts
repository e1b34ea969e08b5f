import type { ServiceKey } from '../../shared/changes/index.ts'
import { createReplay, type RecordingLine, type ReplayedSlice } from '../../shared/recording/index.ts'

/**
 * Document that `sliceflow history --at TIME -o json` prints. Fields are only ever added to a version. Times
 * are RFC 3339.
 */
export interface PublishedReport extends ServiceKey {
  readonly version: 1
  readonly at: string
  /**
   * Time of the last record of the Service before that time; absent if there is none: then nothing is known.
   */
  readonly lastRecord?: string
  /** Slices in the order of their names. */
  readonly slices: readonly PublishedSlice[]
}

/** `time`: since when it was so. */
export interface PublishedSlice
  extends Pick<
    ReplayedSlice,
    'slice' | 'version' | 'time' | 'addressType' | 'ports' | 'endpoints' | 'isCertain'
  > {}

/**
 * Returns what a Service published at a time, from its records up to then. Writes by others are recorded only
 * at
 * the next sync.
 * @param lines of that Service, in the order of time
 * @param at milliseconds since the epoch
 */
export async function publishedAt(
  lines: AsyncIterable<RecordingLine>,
  { cluster, namespace, service }: ServiceKey,
  at: number,
): Promise<PublishedReport> {
  const replay = createReplay()
  let lastRecord: string | undefined
  for await (const line of lines) {
    if (Date.parse(line.time) > at) continue
    if (line.kind === 'lost') replay.doubt(line.cluster)
    if (line.kind === 'start' || line.kind === 'lost' || line.kind === 'change') continue
    replay.apply(line)
    lastRecord = line.time
  }
  return {
    version: 1,
    cluster,
    namespace,
    service,
    at: new Date(at).toISOString(),
    ...(lastRecord !== undefined && { lastRecord }),
    slices: replay.slices().map(({ slice, version, time, addressType, ports, endpoints, isCertain }) => ({
      slice,
      version,
      time,
      addressType,
      ports,
      endpoints,
      isCertain,
    })),
  }
}
