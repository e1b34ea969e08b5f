import {
  type EndpointSlice,
  IN_TREE_CONTROLLER,
  LABEL_MANAGED_BY,
  MIRRORING_CONTROLLER,
  ownerOfKind,
  type Service,
} from '../endpointslice/index.ts'
import { type ApiClient, ENDPOINT_SLICES, labelValue } from '../kubernetes/index.ts'
import type { KeyMessage } from '../queue/index.ts'
import type { Settings } from '../settings/index.ts'
import { withOwnNotes } from './guards/published/slice-notes.ts'
import type { AheadReads } from './read/read-ahead.ts'
import { readNotOlderThan } from './read/read-object.ts'
import { OwnerReader } from './read/read-owner.ts'

/**
 * Returns the managed-by values of the slices that a sync reads. A controller that takes the slices of the
 * in-tree endpointslice-controller over takes over those of the mirroring controller, too.
 */
export const managersOf = ({
  managedBy,
  mirrorEndpoints = false,
}: Pick<Settings, 'managedBy'> & Partial<Pick<Settings, 'mirrorEndpoints'>>): readonly string[] =>
  mirrorEndpoints && managedBy === IN_TREE_CONTROLLER ? [managedBy, MIRRORING_CONTROLLER] : [managedBy]

interface StateReaderOptions {
  readonly client: ApiClient
  /** Default: one that remembers nothing. */
  readonly owners?: OwnerReader
  readonly key: KeyMessage
  /** Managed-by values of the slices; default: slices by any manager. */
  readonly managers?: readonly string[]
  /** What is read together with the slices; default: nothing. */
  readonly ahead?: AheadReads | undefined
  /** Awaited before the list goes beyond its first page; default: nothing. */
  readonly beforeMore?: () => Promise<void>
  readonly signal: AbortSignal
}

/** A key's Service and slices as they are now. */
export interface ServiceState {
  /** Slices with the Service's name and managed-by value in their labels; only our own notes. */
  readonly slices: readonly EndpointSlice[]
  /** Absent when there is none. */
  readonly service: Service | undefined
}

/**
 * Reads the slices first and then the Service: the last writer of a slice read a Service, and after it pods,
 * at least as new as those of any earlier writer of it. With {@link AheadReads} the slices may come from the
 * API server's cache, as the relay has seen them: a write of others that is missing in it conflicts, and is
 * verified by the relay.
 * @throws KubernetesError when a read failed
 */
export async function readState(options: StateReaderOptions): Promise<ServiceState> {
  const slices = await readSlices(options)
  const { client, owners = new OwnerReader(), key, ahead, signal } = options
  const found = (await ahead?.service(slices)) ?? {
    service: await owners.read(client, key, { slices, signal }),
  }
  return { slices, ...found }
}

/**
 * Reads the slices with the Service's name and the managed-by value in their labels.
 * @throws KubernetesError
 */
export async function readSlices({
  client,
  key,
  managers,
  ahead,
  signal,
  beforeMore,
}: StateReaderOptions): Promise<readonly EndpointSlice[]> {
  const known = managers && (await ahead?.slices())
  if (known !== undefined) return known
  // No label has a longer name, and the API server refuses to look for one.
  if (labelValue(key.service).length > 0) return []
  const requirements = [
    ownerOfKind(key.ownerKind).selector(key.service),
    ...(managers ? [managedBy(managers)] : []),
  ]
  const list = { namespace: key.namespace, labelSelector: requirements.join(), signal, beforeMore }
  const { items } = await readNotOlderThan(ahead?.slicesVersion, (notOlderThan) =>
    client.list(ENDPOINT_SLICES, { ...list, notOlderThan }),
  )
  return items.map(withOwnNotes)
}

/** Makes the requirement of a label selector that slices have one of these managed-by values. */
const managedBy = (managers: readonly string[]): string =>
  managers.length === 1 ? `${LABEL_MANAGED_BY}=${managers[0]}` : `${LABEL_MANAGED_BY} in (${managers.join()})`
