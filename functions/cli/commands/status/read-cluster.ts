import {
  type KeyText,
  keyText,
  leftoversOf,
  type PermissionSettings,
  type Permissions,
  permissionsOf,
  type ServiceKey,
  selectionOf,
} from '../../../../shared/changes/index.ts'
import {
  type EndpointSlice,
  IN_TREE_CONTROLLER,
  isMirror,
  LABEL_MANAGED_BY,
  LABEL_SERVICE_NAME,
  MIRRORING_CONTROLLER,
  type Service,
} from '../../../../shared/endpointslice/index.ts'
import { type ApiClient, ENDPOINT_SLICES, SERVICES } from '../../../../shared/kubernetes/index.ts'
import { heldSince, managedBy, quietOf } from '../../../../shared/reconciler/index.ts'
import type { Settings } from '../../../../shared/settings/index.ts'
import type { ReachableCluster } from './report.ts'

export type InventorySettings = PermissionSettings & Pick<Settings, 'mode' | 'managedBy' | 'leftovers'>

/** Contents of a cluster by its lists. */
export interface Inventory extends Omit<ReachableCluster, 'check'> {
  /** Keys of the managed Services. */
  readonly keys: readonly ServiceKey[]
}

interface Found {
  readonly managed: Map<KeyText, ServiceKey>
  readonly invalid: string[]
  /** Services that are managed if there are slices that mirror Endpoints. */
  readonly mirrored: Set<KeyText>
  /** Other Services whose slices stay. */
  readonly kept: Set<KeyText>
}

/** Lists Services and slices, page by page. @throws KubernetesError */
export async function readInventory(client: ApiClient, settings: InventorySettings): Promise<Inventory> {
  const { gitVersion } = await client.read<{ gitVersion: string }>('/version')
  const found: Found = { managed: new Map(), invalid: [], mirrored: new Set(), kept: new Set() }
  const options = { ...settings, permissions: permissionsOf(client.cluster, settings) }
  for await (const { items } of client.pages(SERVICES)) {
    for (const service of items)
      classify(service, keyOf(client, service, service.metadata?.name), found, options)
  }
  const slices = await readSlices(client, settings, found)
  const doublyManaged = await readDoublyManaged(client, settings, found)
  return {
    name: client.cluster,
    reachable: true,
    serverVersion: gitVersion,
    services: found.managed.size,
    invalid: found.invalid,
    ...slices,
    doublyManaged,
    keys: [...found.managed.values()],
  }
}

/** Reads our slices. */
async function readSlices(
  client: ApiClient,
  { managedBy }: InventorySettings,
  found: Found,
): Promise<Pick<Inventory, 'slices' | 'endpoints' | 'orphans' | 'held' | 'fights'>> {
  let slices = 0
  let endpoints = 0
  const orphans: string[] = []
  const held = new Set<string>()
  const fights: string[] = []
  const labelSelector = `${LABEL_MANAGED_BY}=${managedBy},${LABEL_SERVICE_NAME}`
  for await (const { items } of client.pages(ENDPOINT_SLICES, { labelSelector })) {
    for (const slice of items) {
      slices++
      endpoints += slice.endpoints?.length ?? 0
      const key = keyOf(client, slice, slice.metadata?.labels?.[LABEL_SERVICE_NAME])
      const service = `${key.namespace}/${key.service}`
      const name = `${key.namespace}/${slice.metadata?.name}`
      const isManaged = isOfManaged(slice, key, found)
      if (!isManaged && !found.kept.has(keyText(key))) orphans.push(name)
      if (isManaged && heldSince([slice], Date.now()) !== undefined) held.add(service)
      if (quietOf(slice, Date.now()) > 0) fights.push(name)
    }
  }
  return { slices, endpoints, orphans, held: [...held], fights }
}

/** Reports whether its Service is managed. One whose Endpoints are mirrored is so by this slice. */
function isOfManaged(slice: EndpointSlice, key: ServiceKey, { managed, mirrored }: Found): boolean {
  if (isMirror(slice) && mirrored.has(keyText(key))) managed.set(keyText(key), key)
  return managed.has(keyText(key))
}

function classify(
  service: Service,
  key: ServiceKey,
  { managed, invalid, mirrored, kept }: Found,
  { mode, leftovers, permissions }: InventorySettings & { readonly permissions: Permissions },
): void {
  const selection = selectionOf(service, mode, permissions)
  if (selection.kind === 'invalid') {
    invalid.push(`${key.namespace}/${key.service}`)
    kept.add(keyText(key))
    return
  }
  if (selection.kind === 'mirrored') mirrored.add(keyText(key))
  if (selection.kind === 'managed' || selection.kind === 'static') managed.set(keyText(key), key)
  else if (leftoversOf(selection, leftovers) === 'keep') kept.add(keyText(key))
}

async function readDoublyManaged(
  client: ApiClient,
  { managedBy: own, mirrorEndpoints }: InventorySettings,
  { managed, mirrored }: Found,
): Promise<string[]> {
  if (own === IN_TREE_CONTROLLER) return []
  const found = new Set<string>()
  const managers = mirrorEndpoints ? [IN_TREE_CONTROLLER, MIRRORING_CONTROLLER] : [IN_TREE_CONTROLLER]
  const labelSelector = `${managedBy(managers)},${LABEL_SERVICE_NAME}`
  for await (const { items } of client.pages(ENDPOINT_SLICES, { labelSelector, metadataOnly: true })) {
    for (const slice of items) {
      const key = keyOf(client, slice, slice.metadata?.labels?.[LABEL_SERVICE_NAME])
      // Whose Endpoints the in-tree controller mirrors, those we mirror too.
      const isMirrored = slice.metadata?.labels?.[LABEL_MANAGED_BY] === MIRRORING_CONTROLLER
      if (isMirrored && mirrored.has(keyText(key))) managed.set(keyText(key), key)
      if (managed.has(keyText(key))) found.add(`${key.namespace}/${key.service}`)
    }
  }
  return [...found]
}

const keyOf = (
  { cluster }: ApiClient,
  { metadata }: { metadata?: { namespace?: string } },
  service = '',
): ServiceKey => ({ cluster, namespace: metadata?.namespace ?? '', service })
