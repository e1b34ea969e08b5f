import { keyFields, type ServiceKey } from '../../changes/index.ts'
import type { Endpoint, EndpointPort, EndpointSlice, SliceOperation } from '../../endpointslice/index.ts'
import { recordedEndpoint } from '../format/endpoint.ts'
import { type EndpointChanges, endpointChanges } from '../format/endpoint-changes.ts'
import type { RecordingLine, Removal, SnapshotRecord, WriteRecord } from '../format/record.ts'

/** A write that the API server has taken. */
export interface SliceWrite {
  readonly action: SliceOperation
  /** Slice as it was read; absent of a create. */
  readonly before?: EndpointSlice | undefined
  /** Slice as it is now; absent of a delete. */
  readonly after?: EndpointSlice | undefined
  readonly reasons: WriteReasons
}

type Circumstances = 'trigger' | 'message' | 'sync' | 'hold' | 'fights'

export interface WriteReasons extends Pick<WriteRecord, Circumstances> {
  /** Says why an endpoint of this slice goes. */
  removalCauseOf(endpoint: Endpoint, slice: EndpointSlice): Omit<Removal, 'endpoint'>
  /** Returns the version in which a Pod was read, by its name. */
  podVersion(name: string): string | undefined
}

/** A record without what all have that are made at one time. */
export type Content<Line = RecordingLine> = Line extends RecordingLine
  ? Omit<Line, 'v' | 'time' | 'worker' | 'request'>
  : never

export const nameOf = ({ metadata }: EndpointSlice): string => metadata?.name ?? ''
export const versionOf = ({ metadata }: EndpointSlice): string => metadata?.resourceVersion ?? ''

export const snapshotOf = (key: ServiceKey, slice: EndpointSlice): Content<SnapshotRecord> => ({
  kind: 'snapshot',
  ...keyFields(key),
  slice: nameOf(slice),
  version: versionOf(slice),
  addressType: slice.addressType,
  ports: portsOf(slice),
  endpoints: (slice.endpoints ?? []).map(recordedEndpoint),
})

export function writeRecordOf(
  key: ServiceKey,
  { action, before, after, reasons }: SliceWrite,
): Content<WriteRecord> {
  const slice = (after ?? before) as EndpointSlice
  const changes = endpointChanges(before?.endpoints ?? [], after?.endpoints ?? [])
  const { trigger, message, sync, hold, fights } = reasons
  return {
    kind: 'write',
    ...keyFields(key),
    slice: nameOf(slice),
    action,
    addressType: slice.addressType,
    ...(before && { versionBefore: versionOf(before) }),
    ...(after && { versionAfter: versionOf(after) }),
    ...(after && !haveSamePorts(before, after) && { ports: portsOf(after) }),
    came: changes.came,
    went: changes.went.map((endpoint) => ({ endpoint, ...reasons.removalCauseOf(endpoint, slice) })),
    changed: changes.changed,
    pods: podVersions(changes, reasons),
    ...{ trigger, message, sync, hold, fights },
  }
}

function podVersions({ came, went, changed }: EndpointChanges, reasons: WriteReasons): WriteRecord['pods'] {
  const versions: Record<string, string> = {}
  const targets = [
    ...[...came, ...went].map(({ targetRef }) => targetRef?.name),
    ...changed.map(({ target }) => target),
  ]
  for (const name of targets) {
    const version = name === undefined ? undefined : reasons.podVersion(name)
    if (name !== undefined && version !== undefined) versions[name] = version
  }
  return versions
}

const portsOf = ({ ports }: EndpointSlice): EndpointPort[] =>
  (ports ?? []).map(({ name, protocol, port, appProtocol }) => ({
    ...(name !== undefined && { name }),
    ...(port !== undefined && { port }),
    ...(protocol !== undefined && { protocol }),
    ...(appProtocol !== undefined && { appProtocol }),
  }))

const haveSamePorts = (one: EndpointSlice | undefined, other: EndpointSlice): boolean =>
  one !== undefined && JSON.stringify(portsOf(one)) === JSON.stringify(portsOf(other))
