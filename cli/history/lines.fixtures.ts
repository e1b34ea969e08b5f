import type { Endpoint } from '../../shared/endpointslice/index.ts'
import type { GoneRecord, RecordingLine, SnapshotRecord, WriteRecord } from '../../shared/recording/index.ts'

export const WEB = { cluster: 'eu-1', namespace: 'shop', service: 'web' } as const
const BY = { v: 1, worker: 'host-1' } as const

/** Returns the time `seconds` after 03:12:00 on a day, in RFC 3339. RFC 3339. */
export const at = (seconds: number): string =>
  new Date(Date.UTC(2026, 10, 22, 3, 12) + seconds * 1000).toISOString()

/** Makes the endpoint of the pod `web-NUMBER`, ready. */
export const endpoint = (number: number, more: Partial<Endpoint> = {}): Endpoint => ({
  addresses: [`10.1.2.${number}`],
  conditions: { ready: true, serving: true, terminating: false },
  targetRef: { kind: 'Pod', namespace: 'shop', name: `web-${number}`, uid: `u${number}` },
  ...more,
})

export const PORTS = [{ name: 'http', port: 8080, protocol: 'TCP' }] as const

/**
 * Makes the record of a slice's write, at a time in seconds: `web-a 1 2` from version 1 to 2, `web-a - 1` its
 * creation, `web-a 2 -` its deletion.
 */
export function write(seconds: number, change: string, more: Partial<WriteRecord> = {}): WriteRecord {
  const [slice = '', before = '-', after = '-'] = change.split(' ')
  const isCreate = before === '-'
  return {
    ...BY,
    ...WEB,
    kind: 'write',
    time: at(seconds),
    slice,
    action: isCreate ? 'create' : after === '-' ? 'delete' : 'update',
    addressType: 'IPv4',
    ...(isCreate ? { ports: PORTS } : { versionBefore: before }),
    ...(after !== '-' && { versionAfter: after }),
    came: [],
    went: [],
    changed: [],
    pods: {},
    ...more,
  }
}

export const snapshot = (
  seconds: number,
  [slice, version]: readonly [string, string],
  endpoints: readonly Endpoint[],
): SnapshotRecord => ({
  ...BY,
  ...WEB,
  kind: 'snapshot',
  time: at(seconds),
  slice,
  version,
  addressType: 'IPv4',
  ports: PORTS,
  endpoints,
})

export const gone = (seconds: number, slice: string, version: string): GoneRecord => ({
  ...BY,
  ...WEB,
  kind: 'gone',
  time: at(seconds),
  slice,
  version,
})

export async function* stream<T extends RecordingLine>(...lines: readonly T[]): AsyncGenerator<T> {
  yield* lines
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = []
  for await (const item of items) read.push(item)
  return read
}
