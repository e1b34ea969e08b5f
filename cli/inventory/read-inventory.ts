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

/**
 * Lists Services and slices, page by page.
 * @param namespace the only one that is read; default: all
 * @throws KubernetesError
 */
export const readInventory = (
  client: ApiClient,
  settings: InventorySettings,
  namespace?: string,
): Promise<Inventory> => new InventoryReader(client, settings, namespace).read()

/** Reads the inventory of one cluster, once. */
class InventoryReader {
  readonly #client: ApiClient
  readonly #settings: InventorySettings
  readonly #namespace: string | undefined
  readonly #managed = new Map<KeyText, ServiceKey>()
  /** Services that are managed if there are slices that mirror Endpoints. */
  readonly #mirrored = new Set<KeyText>()
  /** Other Services whose slices stay. */
  readonly #staying = new Set<KeyText>()
  /** Of these, by their selection, those of which slices of ours are left behind. */
  readonly #unmanaged = new Map<KeyText, Selection>()
  readonly #invalid: string[] = []
  readonly #paused: PausedService[] = []
  #slices = 0
  #endpoints = 0
  readonly #orphans: string[] = []
  readonly #leftBehind: LeftBehind[] = []
  readonly #held = new Set<string>()
  readonly #fights: string[] = []
  /** Writers of the slices of each managed Service. */
  readonly #writers = new Map<string, SliceWriters[]>()
  readonly #doublyManaged = new Set<string>()

  constructor(client: ApiClient, settings: InventorySettings, namespace: string | undefined) {
    this.#client = client
    this.#settings = settings
    this.#namespace = namespace
  }

  async read(): Promise<Inventory> {
    const { managedBy, endpointSelectors } = this.#settings
    const { gitVersion } = recordOf(await this.#client.read('/version'))
    await this.#readOwners()
    await this.#readSlices()
    await this.#readOthers()
    const keys = [...this.#managed.values()]
    const selectors = keys.filter(({ ownerKind }) => ownerKind !== undefined).length
    return {
      name: this.#client.cluster,
      serverVersion: typeof gitVersion === 'string' ? gitVersion : 'unknown',
      managedBy,
      services: keys.length - selectors,
      ...(endpointSelectors && { endpointSelectors: selectors }),
      invalid: this.#invalid,
      paused: this.#paused,
      slices: this.#slices,
      endpoints: this.#endpoints,
      orphans: this.#orphans,
      leftBehind: this.#leftBehind,
      held: [...this.#held],
      fights: this.#fights,
      secondControllers: secondControllersOf(this.#writers),
      doublyManaged: managedBy === IN_TREE_CONTROLLER ? [] : [...this.#doublyManaged],
      keys,
    }
  }

  async #readOwners(): Promise<void> {
    const permissions = permissionsOf(this.#client.cluster, this.#settings)
    const within = { namespace: this.#namespace }
    for await (const { items } of this.#client.pages(SERVICES, within))
      for (const service of items) this.#classify(service, this.#keyOf(service), permissions)
    for (const other of publishedOwners(this.#settings))
      for await (const items of listOwners(this.#client, other, within))
        for (const object of items) {
          const key = { ...this.#keyOf(object), ownerKind: other.owner.kind }
          this.#classify(other.asService(object), key, permissions)
        }
  }

  #keyOf({ metadata }: Pick<Service, 'metadata'>): ServiceKey {
    const { namespace = '', name: service = '' } = metadata ?? {}
    return { cluster: this.#client.cluster, namespace, service }
  }

  #classify(service: Service, key: ServiceKey, permissions: Permissions): void {
    const { mode, leftovers } = this.#settings
    const selection = selectionOf(service, mode, permissions)
    const name = ownerText(key)
    const text = keyText(key)
    if (selection.kind === 'invalid') {
      this.#invalid.push(name)
      this.#staying.add(text)
      return
    }
    if (selection.kind === 'paused') {
      if (selection.of.kind !== 'unmanaged') this.#paused.push({ service: name, since: selection.since })
      this.#staying.add(text)
      return
    }
    if (selection.kind !== 'unmanaged' && ignoredAnnotations(service).length > 0) this.#invalid.push(name)
    if (selection.kind === 'mirrored') this.#mirrored.add(text)
    if (selection.kind === 'managed' || selection.kind === 'sourced') this.#managed.set(text, key)
    else if (leftoversOf(selection, leftovers) === 'keep') {
      this.#staying.add(text)
      // Leftovers that the setting retains are no finding.
      if (leftovers !== 'keep' || isOfOtherMode(service, mode)) this.#unmanaged.set(text, selection)
    }
  }

  async #readSlices(): Promise<void> {
    const labelSelector = `${LABEL_MANAGED_BY}=${this.#settings.managedBy}`
    const list = { namespace: this.#namespace, labelSelector }
    for await (const { items } of this.#client.pages(ENDPOINT_SLICES, list))
      for (const slice of items) this.#count(slice)
  }

  #count(slice: EndpointSlice): void {
    const owner = ownerOf(slice)
    if (owner === undefined) return
    this.#slices++
    this.#endpoints += slice.endpoints?.length ?? 0
    const key = { cluster: this.#client.cluster, ...owner }
    const service = ownerText(key)
    const name = `${key.namespace}/${slice.metadata?.name}`
    const state = this.#stateOf(slice, key)
    if (state === 'orphan') this.#orphans.push(name)
    if (state === 'leftBehind')
      this.#leftBehind.push({ slice: name, managedBy: this.#settings.managedBy, ownerKind: owner.ownerKind })
    if (state === 'managed' && heldSince([slice], Date.now()) !== undefined) this.#held.add(service)
    if (quietOf(slice, Date.now()) > 0) this.#fights.push(name)
    else if (state === 'managed')
      this.#writers.set(service, [
        ...(this.#writers.get(service) ?? []),
        writersOf(slice, { now: Date.now() }),
      ])
  }

  #stateOf(slice: EndpointSlice, key: ServiceKey): 'managed' | 'leftBehind' | 'staying' | 'orphan' {
    const text = keyText(key)
    if (!isPublished(key.ownerKind, this.#settings)) return 'leftBehind'
    // A Service whose Endpoints are mirrored is managed by this slice.
    if (isMirror(slice) && this.#mirrored.has(text)) this.#managed.set(text, key)
    if (this.#managed.has(text)) return 'managed'
    const selection = this.#unmanaged.get(text)
    if (selection !== undefined && isOurs(slice) && isLeftover({ isMirror: isMirror(slice) }, selection))
      return 'leftBehind'
    return this.#staying.has(text) ? 'staying' : 'orphan'
  }

  async #readOthers(): Promise<void> {
    const { managedBy: own } = this.#settings
    const labelSelector = `${LABEL_MANAGED_BY}!=${own}`
    const list = { namespace: this.#namespace, labelSelector, metadataOnly: true }
    for await (const { items } of this.#client.pages(ENDPOINT_SLICES, list))
      for (const slice of items) {
        const owner = ownerOf(slice)
        if (owner === undefined) continue
        const manager = slice.metadata?.labels?.[LABEL_MANAGED_BY] ?? ''
        const name = `${owner.namespace}/${slice.metadata?.name}`
        if (isLeftBehind(slice, own))
          this.#leftBehind.push({ slice: name, managedBy: manager, ownerKind: owner.ownerKind })
        if (this.#isInTree(manager, { cluster: this.#client.cluster, ...owner }))
          this.#doublyManaged.add(ownerText(owner))
      }
  }

  /** Reports whether the in-tree controllers have a slice of a managed Service. */
  #isInTree(manager: string, key: ServiceKey): boolean {
    const { managedBy: own, mirrorEndpoints } = this.#settings
    const text = keyText(key)
    // Whose Endpoints the in-tree controller mirrors, those we mirror too.
    const isMirrored = manager === MIRRORING_CONTROLLER && mirrorEndpoints === true
    if (isMirrored && this.#mirrored.has(text) && own !== IN_TREE_CONTROLLER) this.#managed.set(text, key)
    return (manager === IN_TREE_CONTROLLER || isMirrored) && this.#managed.has(text)
  }
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
