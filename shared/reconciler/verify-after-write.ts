import { isListCheaper, type PodSelection } from '../changes/index.ts'
import {
  type ApplyResult,
  compareVersions,
  type EndpointSlice,
  LABEL_MANAGED_BY,
  ownerOfKind,
} from '../endpointslice/index.ts'
import {
  type ApiClient,
  type ApiObject,
  ENDPOINT_SLICES,
  ENDPOINTS,
  formatLabelSelector,
  PODS,
} from '../kubernetes/index.ts'
import type { KeyMessage } from '../queue/index.ts'
import { minimumResourceVersion, readNotOlderThan, readObject } from './read/read-object.ts'
import type { OwnerReader } from './read/read-owner.ts'

/** An object's uid and version; `undefined` of one that is not there. */
type InputVersion = string | undefined

/** Holds what a sync was made of. As long as that stays so, what the sync has written is right. */
export interface SyncInputs {
  readonly service: InputVersion
  /** Its API, if it is no Service. Absent: any. */
  readonly api?: string | undefined
  /** The Endpoints that the slices mirror, or that there are none. Absent: nothing depends on them. */
  readonly endpoints?: { readonly version: InputVersion }
  /** The Pods whose endpoints were added, changed or taken out, by name. */
  readonly pods: ReadonlyMap<string, InputVersion>
  /** The selection, and the number of its Pods: one list may cost less than single reads. */
  readonly selected?: { readonly selection: PodSelection; readonly count: number }
  /**
   * Versions of the Service's slices by name, as they are after the writes, where endpoints were added or
   * slices created: another writer may have put the same into other slices. Absent: no other slice matters.
   */
  readonly slices?: ReadonlyMap<string, string> | undefined
  /** A relay verifies such a Service, whatever its message was made for. */
  readonly isVerifiable?: true
}

interface VerifyOptions {
  readonly client: ApiClient
  readonly owners: Pick<OwnerReader, 'read'>
  readonly key: KeyMessage
  readonly managedBy: string
  readonly signal: AbortSignal
}

export const versionOf = (object: ApiObject | undefined): InputVersion =>
  object && `${object.metadata?.uid} ${object.metadata?.resourceVersion}`

export const versionsOf = (slices: readonly EndpointSlice[]): ReadonlyMap<string, string> =>
  new Map(slices.map(({ metadata }) => [metadata?.name ?? '', metadata?.resourceVersion ?? '']))

export const versionsAfter = (
  before: readonly EndpointSlice[],
  { created, updated }: ApplyResult,
): ReadonlyMap<string, string> => versionsOf([...before, ...created, ...updated])

/**
 * Verifies with few reads. A worker that read newer Pods and wrote nothing causes no conflict.
 * 1. Where endpoints were added: whether another slice was written meanwhile, which may hold them as well.
 * 2. Then the versions of the Service and of its Endpoints or the Pods concerned: a concurrent writer that
 *    has taken a Pod out of that other slice before step 1, knowing nothing of ours, has seen what is newer.
 * @returns whether what was read is still so
 * @throws KubernetesError when a read failed
 */
export async function verify(inputs: SyncInputs, options: VerifyOptions): Promise<boolean> {
  if ((await otherSlices(inputs, options)).length > 0) return false
  const { client, owners, key, signal } = options
  const { service, api, endpoints } = inputs
  const ref = { namespace: key.namespace, name: key.service }
  const [ofService, ofEndpoints, areSame] = await Promise.all([
    owners.read(client, key, { metadataOnly: true, api, signal }),
    endpoints && readObject(client, ENDPOINTS, ref, { metadataOnly: true, signal }),
    arePodsUnchanged(inputs, options),
  ])
  return areSame && service === versionOf(ofService) && endpoints?.version === versionOf(ofEndpoints)
}

async function arePodsUnchanged({ pods, selected }: SyncInputs, options: VerifyOptions): Promise<boolean> {
  const { client, key, signal } = options
  if (selected === undefined || !isListCheaper(pods.size, selected.count)) {
    const same = [...pods].map(async ([name, version]) => {
      const ref = { namespace: key.namespace, name }
      return version === versionOf(await readObject(client, PODS, ref, { metadataOnly: true, signal }))
    })
    return (await Promise.all(same)).every(Boolean)
  }
  const { namespace, selector } = selected.selection
  const labelSelector = formatLabelSelector(selector)
  const { items } = await client.list(PODS, { namespace, labelSelector, metadataOnly: true, signal })
  const versions = new Map(items.map((pod) => [pod.metadata?.name, versionOf(pod)]))
  return [...pods].every(([name, version]) => versions.get(name) === version)
}

/**
 * Lists the metadata of the slices that were written since, or that others created. The API server's cache
 * does once it has what was written here: of two writers the later one sees what the earlier one wrote. For
 * the newest list it waits up to 100 ms, unless slices were what was written last.
 */
async function otherSlices(
  { slices }: SyncInputs,
  { client, key, managedBy, signal }: VerifyOptions,
): Promise<readonly EndpointSlice[]> {
  if (slices === undefined) return []
  const labelSelector = `${ownerOfKind(key.ownerKind).selector(key.service)},${LABEL_MANAGED_BY}=${managedBy}`
  const list = { namespace: key.namespace, labelSelector, metadataOnly: true, signal }
  const newest = [...slices.values()].toSorted(compareVersions).at(-1)
  const { items } = await readNotOlderThan(minimumResourceVersion(newest, []), (notOlderThan) =>
    client.list(ENDPOINT_SLICES, { ...list, notOlderThan }),
  )
  return items.filter(({ metadata }) => slices.get(metadata?.name ?? '') !== metadata?.resourceVersion)
}
