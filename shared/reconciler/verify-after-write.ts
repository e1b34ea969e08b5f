import type { PodSelection } from '../changes/index.ts'
import {
  type ApplyResult,
  compareVersions,
  type Endpoint,
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
import { readObject } from './read/read-object.ts'
import type { OwnerReader } from './read/read-owner.ts'
import type { Changes } from './slice-changes.ts'

/** An object's uid and version; `undefined` of one that is not there. */
export type InputVersion = string | undefined

/** Holds what a sync was made of. As long as that stays so, what the sync has written is right. */
export interface SyncInputs {
  readonly service: InputVersion
  /** Its API, if it is no Service. Absent: any. */
  readonly api?: string | undefined
  /** The Endpoints that the slices mirror, or that there are none. Absent: nothing depends on them. */
  readonly endpoints?: { readonly version: InputVersion }
  /** The Pods whose endpoints were added, changed or taken out, by name. */
  readonly pods: ReadonlyMap<string, InputVersion>
  /**
   * Selection of the Service's Pods, and how many there were. For many Pods a list costs less than single
   * reads.
   */
  readonly selected?: { readonly selection: PodSelection; readonly count: number }
  /** Pods that slices which were not read may hold as well, and the slices that cannot. */
  readonly unread?: UnreadSlices
  /** A relay verifies such a Service, whatever its message was made for. */
  readonly isVerifiable?: true
}

export interface UnreadSlices {
  /** Pods that were put into a slice, or that no slice holds of some address type that was read. */
  readonly pods: ReadonlySet<string>
  /** Versions by name, of the slices that were read, as they are after the writes. */
  readonly known: ReadonlyMap<string, string>
  /**
   * Slices up to this version hold none of the Pods, by the relay. Absent: only those that were read are
   * known.
   */
  readonly slicesVersion?: string
  /**
   * Slices were created: one that another writer created at the same time may be one too many, whatever it
   * holds.
   */
  readonly hasCreated?: boolean
}

/** Whether what was read is still so. */
export type VerifyResult =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'changed' }
  /** More slices were written meanwhile than are worth reading one by one. */
  | { readonly kind: 'contended' }
  /** Another sync is needed to find out. */
  | { readonly kind: 'unverified' }
  /** Another writer put some of the Pods into other slices meanwhile. */
  | { readonly kind: 'elsewhere'; readonly slices: readonly string[] }

interface VerifyOptions {
  readonly client: ApiClient
  readonly owners: Pick<OwnerReader, 'read'>
  readonly key: KeyMessage
  readonly managedBy: string
  readonly signal: AbortSignal
}

/** Maximum number of Pods that are read one by one, however few the Service has. */
const FEW_PODS = 4
/** Slices that were written meanwhile and are read to see what is in them. */
const MAX_READS = 4

export const versionOf = (object: ApiObject | undefined): InputVersion =>
  object && `${object.metadata?.uid} ${object.metadata?.resourceVersion}`

export const versionsOf = (slices: readonly EndpointSlice[]): ReadonlyMap<string, string> =>
  new Map(slices.map(({ metadata }) => [metadata?.name ?? '', metadata?.resourceVersion ?? '']))

/** Adds the versions of the slices that were written. */
export function knownAfter(
  before: ReadonlyMap<string, string>,
  { created, updated }: ApplyResult,
): ReadonlyMap<string, string> {
  const known = new Map(before)
  for (const { metadata } of [...created, ...updated])
    known.set(metadata?.name ?? '', metadata?.resourceVersion ?? '')
  return known
}

/** Returns the names of the Pods of this namespace that the slices' endpoints belong to. */
export function podsIn(slices: Iterable<EndpointSlice>, namespace: string): Set<string> {
  const names = new Set<string>()
  for (const { endpoints } of slices)
    for (const endpoint of endpoints ?? []) {
      const name = podOf(endpoint, namespace)
      if (name !== undefined) names.add(name)
    }
  return names
}

function podOf({ targetRef }: Endpoint, namespace: string): string | undefined {
  const isPod = targetRef?.kind === 'Pod' && (targetRef.namespace ?? namespace) === namespace
  return isPod ? targetRef.name : undefined
}

/** Returns the names of the Pods whose endpoints differ between the slices before and what is written. */
export function podsChanged(
  before: readonly EndpointSlice[],
  changes: Changes,
  namespace: string,
): Set<string> {
  const olds = new Map(before.map((slice) => [slice.metadata?.name, slice]))
  const changed = new Set<string>()
  for (const slice of [...changes.create, ...changes.update]) {
    const was = endpointTexts(olds.get(slice.metadata?.name), namespace)
    const is = endpointTexts(slice, namespace)
    for (const [name, text] of is) if (was.get(name) !== text) changed.add(name)
    for (const name of was.keys()) if (!is.has(name)) changed.add(name)
  }
  for (const name of podsIn(changes.delete, namespace)) changed.add(name)
  return changed
}

/** Returns the names of the Pods that are in a slice that is written and were not in it before. */
export function podsAdded(
  before: readonly EndpointSlice[],
  changes: Changes,
  namespace: string,
): Set<string> {
  const olds = new Map(before.map((slice) => [slice.metadata?.name, slice]))
  const added = new Set<string>()
  for (const slice of [...changes.create, ...changes.update]) {
    const old = olds.get(slice.metadata?.name)
    const held = podsIn(old === undefined ? [] : [old], namespace)
    for (const name of podsIn([slice], namespace)) if (!held.has(name)) added.add(name)
  }
  return added
}

function endpointTexts(slice: EndpointSlice | undefined, namespace: string): Map<string, string> {
  const texts = new Map<string, string>()
  for (const endpoint of slice?.endpoints ?? []) {
    const name = podOf(endpoint, namespace)
    if (name === undefined) continue
    const { addresses, conditions, nodeName, zone, hostname, targetRef } = endpoint
    const { ready, serving, terminating } = conditions ?? {}
    const text = [addresses, ready, serving, terminating, nodeName, zone, hostname, targetRef?.uid].join(' ')
    texts.set(name, `${texts.get(name) ?? ''}${text}`)
  }
  return texts
}

/**
 * Verifies with few reads. A worker that read newer Pods and wrote nothing causes no conflict.
 * 1. For Pods that were put into a slice, or were in none: whether another slice holds them that was written
 *    meanwhile.
 * 2. Then the versions of the Service and of its Endpoints or the Pods concerned: a concurrent writer that
 *    has taken a Pod out of that other slice before step 1, knowing nothing of ours, has seen what is newer.
 * @throws KubernetesError when a read failed
 */
export async function verify(inputs: SyncInputs, options: VerifyOptions): Promise<VerifyResult> {
  const placed = resultOf(await unknownSlices(inputs.unread, options))
  if (placed.kind !== 'unchanged') return placed
  const same = await Promise.all([
    isServiceUnchanged(inputs, options),
    areEndpointsUnchanged(inputs, options),
    arePodsUnchanged(inputs, options),
  ])
  return { kind: same.every(Boolean) ? 'unchanged' : 'changed' }
}

/** Takes step 1 alone, for a sync that wrote nothing. */
export async function verifyUnread(
  unread: UnreadSlices | undefined,
  options: VerifyOptions,
): Promise<VerifyResult> {
  return resultOf(await unknownSlices(unread, options))
}

function resultOf(slices: readonly string[] | 'many'): VerifyResult {
  if (slices === 'many') return { kind: 'contended' }
  return slices.length > 0 ? { kind: 'elsewhere', slices } : { kind: 'unchanged' }
}

async function isServiceUnchanged(
  { service, api }: SyncInputs,
  { client, owners, key, signal }: VerifyOptions,
): Promise<boolean> {
  return service === versionOf(await owners.read(client, key, { metadataOnly: true, api, signal }))
}

async function areEndpointsUnchanged(
  { endpoints }: SyncInputs,
  { client, key, signal }: VerifyOptions,
): Promise<boolean> {
  if (endpoints === undefined) return true
  const ref = { namespace: key.namespace, name: key.service }
  return (
    endpoints.version === versionOf(await readObject(client, ENDPOINTS, ref, { metadataOnly: true, signal }))
  )
}

async function arePodsUnchanged({ pods, selected }: SyncInputs, options: VerifyOptions): Promise<boolean> {
  const { client, key, signal } = options
  if (selected === undefined || pods.size <= Math.max(FEW_PODS, selected.count / 4)) {
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
 * Returns the names of the slices that hold one of the Pods and were not known; `many` if there are too many
 * to read.
 */
async function unknownSlices(
  unread: UnreadSlices | undefined,
  { client, key, managedBy, signal }: VerifyOptions,
): Promise<readonly string[] | 'many'> {
  if (unread === undefined || !needsList(unread)) return []
  const { namespace } = key
  const labelSelector = `${ownerOfKind(key.ownerKind).selector(key.service)},${LABEL_MANAGED_BY}=${managedBy}`
  const { items } = await client.list(ENDPOINT_SLICES, {
    namespace,
    labelSelector,
    metadataOnly: true,
    signal,
  })
  const unknown = items.filter((slice) => !isKnown(slice, unread))
  const isOneNew = unknown.some(({ metadata }) => !unread.known.has(metadata?.name ?? ''))
  if (unknown.length > MAX_READS || (unread.hasCreated && isOneNew)) return 'many'
  const read = unknown.map(async ({ metadata }) => {
    const name = metadata?.name ?? ''
    const slice = await readObject(client, ENDPOINT_SLICES, { namespace, name }, { signal })
    const holds = slice !== undefined && !podsIn([slice], namespace).isDisjointFrom(unread.pods)
    return holds ? [name] : []
  })
  return (await Promise.all(read)).flat()
}

/** Reports whether other slices matter to what was read. */
export const needsList = ({ pods, hasCreated = false }: UnreadSlices): boolean => pods.size > 0 || hasCreated

function isKnown({ metadata }: EndpointSlice, { known, slicesVersion }: UnreadSlices): boolean {
  const { name = '', resourceVersion = '' } = metadata ?? {}
  if (known.has(name)) return known.get(name) === resourceVersion
  return slicesVersion !== undefined && compareVersions(slicesVersion, resourceVersion) >= 0
}
