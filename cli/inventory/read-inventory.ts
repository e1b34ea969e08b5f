import {
  ignoredAnnotations,
  isLeftBehind,
  isLeftover,
  isOfOtherMode,
  isOurs,
  isPublished,
  type KeyText,
  keyText,
  leftoversOf,
  type OwnerName,
  ownerOf,
  ownerText,
  type PermissionSettings,
  type Permissions,
  permissionsOf,
  publishedOwners,
  type Selection,
  type ServiceKey,
  selectionOf,
} from '../../shared/changes/index.ts'
import {
  type EndpointSlice,
  IN_TREE_CONTROLLER,
  isMirror,
  LABEL_MANAGED_BY,
  MIRRORING_CONTROLLER,
  type Service,
} from '../../shared/endpointslice/index.ts'
import { type ApiClient, ENDPOINT_SLICES, SERVICES } from '../../shared/kubernetes/index.ts'
import {
  heldSince,
  listOwners,
  quietOf,
  type SliceWriters,
  secondControllerAmong,
  writersOf,
} from '../../shared/reconciler/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import { recordOf } from '../../shared/values/index.ts'
import type { SecondControllerStatus } from '../local/index.ts'

interface PausedService {
  /** `namespace/name`, or `namespace/name/EndpointSelector`, as in every list of Services here. */
  readonly service: string
  /** RFC 3339; absent where it is not known. */
  readonly since?: string
}

export interface ClusterInventory {
  readonly name: string
  /** Version of the API server, such as `v1.36.4`. */
  readonly serverVersion: string
  /** Services managed in this mode, and those with slices of ours that mirror Endpoints. */
  readonly services: number
  /** EndpointSelectors that are published; absent where the settings do not publish any. */
  readonly endpointSelectors?: number
  /** Services that ask to be managed with an invalid annotation. */
  readonly invalid: readonly string[]
  readonly paused: readonly PausedService[]
  readonly managedBy: string
  /** Ours: those with the managed-by value. */
  readonly slices: number
  readonly endpoints: number
  /** Slices of ours whose Service is gone, or not managed any more though leftovers are to be deleted. */
  readonly orphans: readonly string[]
  readonly doublyManaged: readonly string[]
  /**
   * Slices that we made with other settings and that nothing updates: those with another managed-by value,
   * those of Services that this mode does not manage, and those of EndpointSelectors where none is published.
   */
  readonly leftBehind: readonly LeftBehind[]
  /** Managed Services with a plan that is held because it removes too many ready endpoints. */
  readonly held: readonly string[]
  /** Slices of ours that are left alone for a while, since another client edits them after every repair. */
  readonly fights: readonly string[]
  /**
   * Controllers that have written slices of ours in the last minutes, each with the Service that it wrote
   * last. Where the relay of the cluster was named, its report has them, which knows since when we run.
   */
  readonly secondControllers: readonly SecondControllerStatus[]
}

export interface LeftBehind {
  readonly slice: string
  readonly managedBy: string
  /** Absent: it is of a Service. */
  readonly ownerKind?: string
}

/** Chooses that many items, evenly spread over the list; all of them where there are no more. */
export function sampleOf<T>(items: readonly T[], count: number): readonly T[] {
  if (count >= items.length) return items
  return Array.from({ length: count }, (_, index) => items[Math.floor((index * items.length) / count)] as T)
}

type InventorySettings = PermissionSettings & Pick<Settings, 'mode' | 'managedBy' | 'leftovers'>

/** Contents of a cluster by its lists, and what it is to be worked on. */
export interface Inventory extends ClusterInventory {
  /** Keys of the managed Services. */
  readonly keys: readonly ServiceKey[]
}

interface SlicesRead extends InventorySettings {
  readonly namespace: string | undefined
}

interface Found {
  readonly managed: Map<KeyText, ServiceKey>
  readonly invalid: string[]
  readonly paused: PausedService[]
  /** Services that are managed if there are slices that mirror Endpoints. */
  readonly mirrored: Set<KeyText>
  /** Other Services whose slices stay. */
  readonly staying: Set<KeyText>
  /** Of these, by their selection, those of which slices of ours are left behind. */
  readonly unmanaged: Map<KeyText, Selection>
  readonly settings: InventorySettings
}

/**
 * Lists Services and slices, page by page.
 * @param namespace the only one that is read; default: all
 * @throws KubernetesError
 */
export async function readInventory(
  client: ApiClient,
  settings: InventorySettings,
  namespace?: string,
): Promise<Inventory> {
  const { gitVersion } = recordOf(await client.read('/version'))
  const found: Found = {
    managed: new Map(),
    invalid: [],
    paused: [],
    mirrored: new Set(),
    staying: new Set(),
    unmanaged: new Map(),
    settings,
  }
  const options = { ...settings, permissions: permissionsOf(client.cluster, settings) }
  for await (const { items } of client.pages(SERVICES, { namespace })) {
    for (const service of items)
      classify(service, keyOf(client, service, service.metadata?.name), found, options)
  }
  for (const other of publishedOwners(settings))
    for await (const items of listOwners(client, other, { namespace }))
      for (const object of items) {
        const name = { ...keyOf(client, object, object.metadata?.name), ownerKind: other.owner.kind }
        classify(other.asService(object), name, found, options)
      }
  const slices = await readSlices(client, { ...settings, namespace }, found)
  const { leftBehind, doublyManaged } = await readOthers(client, { ...settings, namespace }, found)
  return {
    name: client.cluster,
    serverVersion: typeof gitVersion === 'string' ? gitVersion : 'unknown',
    managedBy: settings.managedBy,
    ...countsOf(found, settings),
    invalid: found.invalid,
    paused: found.paused,
    ...slices,
    leftBehind: [...slices.leftBehind, ...leftBehind],
    doublyManaged,
    keys: [...found.managed.values()],
  }
}

function countsOf(
  { managed }: Found,
  { endpointSelectors }: InventorySettings,
): Pick<Inventory, 'services' | 'endpointSelectors'> {
  const selectors = [...managed.values()].filter(({ ownerKind }) => ownerKind !== undefined).length
  return { services: managed.size - selectors, ...(endpointSelectors && { endpointSelectors: selectors }) }
}

async function readSlices(
  client: ApiClient,
  { managedBy, namespace }: SlicesRead,
  found: Found,
): Promise<
  Pick<Inventory, 'slices' | 'endpoints' | 'orphans' | 'leftBehind' | 'held' | 'fights' | 'secondControllers'>
> {
  let slices = 0
  let endpoints = 0
  const orphans: string[] = []
  const held = new Set<string>()
  const fights: string[] = []
  const writers = new Map<string, SliceWriters[]>()
  const leftBehind: LeftBehind[] = []
  function count(slice: EndpointSlice): void {
    const owner = ownerOf(slice)
    if (owner === undefined) return
    slices++
    endpoints += slice.endpoints?.length ?? 0
    const key = { cluster: client.cluster, ...owner }
    const service = ownerText(key)
    const name = `${key.namespace}/${slice.metadata?.name}`
    const state = stateOf(slice, key, found)
    if (state === 'orphan') orphans.push(name)
    if (state === 'leftBehind') leftBehind.push({ slice: name, managedBy, ...kindOf(owner) })
    if (state === 'managed' && heldSince([slice], Date.now()) !== undefined) held.add(service)
    if (quietOf(slice, Date.now()) > 0) fights.push(name)
    else if (state === 'managed')
      writers.set(service, [...(writers.get(service) ?? []), writersOf(slice, { now: Date.now() })])
  }
  const labelSelector = `${LABEL_MANAGED_BY}=${managedBy}`
  for await (const { items } of client.pages(ENDPOINT_SLICES, { namespace, labelSelector })) {
    for (const slice of items) count(slice)
  }
  const secondControllers = secondControllersOf(writers)
  return { slices, endpoints, orphans, leftBehind, held: [...held], fights, secondControllers }
}

/** Returns each controller that writes slices of ours, too, with the Service that it wrote last. */
function secondControllersOf(
  writers: ReadonlyMap<string, readonly SliceWriters[]>,
): SecondControllerStatus[] {
  const found = new Map<string, SecondControllerStatus>()
  for (const [service, some] of writers) {
    const second = secondControllerAmong(some)
    if (second === undefined) continue
    const { manager, isMirror, writtenAt } = second
    const at = new Date(writtenAt).toISOString()
    if (at > (found.get(manager)?.at ?? '')) found.set(manager, { manager, service, at, isMirror })
  }
  return [...found.values()]
}

function stateOf(
  slice: EndpointSlice,
  key: ServiceKey,
  found: Found,
): 'managed' | 'leftBehind' | 'staying' | 'orphan' {
  if (!isPublished(key.ownerKind, found.settings)) return 'leftBehind'
  if (isOfManaged(slice, key, found)) return 'managed'
  if (isStayingLeftover(slice, key, found)) return 'leftBehind'
  return found.staying.has(keyText(key)) ? 'staying' : 'orphan'
}

/** Reports whether the slice is ours and stays, though its Service is not managed. */
function isStayingLeftover(slice: EndpointSlice, key: ServiceKey, { unmanaged }: Found): boolean {
  const selection = unmanaged.get(keyText(key))
  return selection !== undefined && isOurs(slice) && isLeftover({ isMirror: isMirror(slice) }, selection)
}

/** Reports whether its Service is managed. One whose Endpoints are mirrored is so by this slice. */
function isOfManaged(slice: EndpointSlice, key: ServiceKey, { managed, mirrored }: Found): boolean {
  if (isMirror(slice) && mirrored.has(keyText(key))) managed.set(keyText(key), key)
  return managed.has(keyText(key))
}

function classify(
  service: Service,
  key: ServiceKey,
  { managed, invalid, paused, mirrored, staying, unmanaged }: Found,
  { mode, leftovers, permissions }: InventorySettings & { readonly permissions: Permissions },
): void {
  const selection = selectionOf(service, mode, permissions)
  const name = ownerText(key)
  if (selection.kind === 'invalid') {
    invalid.push(name)
    staying.add(keyText(key))
    return
  }
  if (selection.kind === 'paused') {
    if (selection.of.kind !== 'unmanaged')
      paused.push({ service: name, ...(selection.since !== undefined && { since: selection.since }) })
    staying.add(keyText(key))
    return
  }
  if (selection.kind !== 'unmanaged' && ignoredAnnotations(service).length > 0) invalid.push(name)
  if (selection.kind === 'mirrored') mirrored.add(keyText(key))
  if (selection.kind === 'managed' || selection.kind === 'sourced') managed.set(keyText(key), key)
  else if (leftoversOf(selection, leftovers) === 'keep') {
    staying.add(keyText(key))
    // Leftovers that the setting retains are no finding.
    if (leftovers !== 'keep' || isOfOtherMode(service, mode)) unmanaged.set(keyText(key), selection)
  }
}

async function readOthers(
  client: ApiClient,
  { managedBy: own, mirrorEndpoints, namespace }: SlicesRead,
  { managed, mirrored }: Found,
): Promise<Pick<Inventory, 'leftBehind' | 'doublyManaged'>> {
  const found = new Set<string>()
  const leftBehind: LeftBehind[] = []
  /** Reports whether the in-tree controllers have a slice of a managed Service. */
  function isInTree(manager: string, key: ServiceKey): boolean {
    // Whose Endpoints the in-tree controller mirrors, those we mirror too.
    const isMirrored = manager === MIRRORING_CONTROLLER && mirrorEndpoints === true
    if (isMirrored && mirrored.has(keyText(key)) && own !== IN_TREE_CONTROLLER) managed.set(keyText(key), key)
    return (manager === IN_TREE_CONTROLLER || isMirrored) && managed.has(keyText(key))
  }
  const labelSelector = `${LABEL_MANAGED_BY}!=${own}`
  for await (const { items } of client.pages(ENDPOINT_SLICES, {
    namespace,
    labelSelector,
    metadataOnly: true,
  })) {
    for (const slice of items) {
      const owner = ownerOf(slice)
      if (owner === undefined) continue
      const manager = slice.metadata?.labels?.[LABEL_MANAGED_BY] ?? ''
      const name = `${owner.namespace}/${slice.metadata?.name}`
      if (isLeftBehind(slice, own)) leftBehind.push({ slice: name, managedBy: manager, ...kindOf(owner) })
      if (isInTree(manager, { cluster: client.cluster, ...owner })) found.add(ownerText(owner))
    }
  }
  return { leftBehind, doublyManaged: own === IN_TREE_CONTROLLER ? [] : [...found] }
}

const kindOf = ({ ownerKind }: OwnerName): Pick<OwnerName, 'ownerKind'> => (ownerKind ? { ownerKind } : {})

const keyOf = (
  { cluster }: ApiClient,
  { metadata }: { metadata?: { namespace?: string } },
  service = '',
): ServiceKey => ({ cluster, namespace: metadata?.namespace ?? '', service })
