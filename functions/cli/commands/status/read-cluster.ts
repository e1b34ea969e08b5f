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
  IN_TREE_CONTROLLER,
  LABEL_MANAGED_BY,
  LABEL_SERVICE_NAME,
  type Service,
} from '../../../../shared/endpointslice/index.ts'
import { type ApiClient, ENDPOINT_SLICES, SERVICES } from '../../../../shared/kubernetes/index.ts'
import { heldSince, quietOf } from '../../../../shared/reconciler/index.ts'
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
  /** Other Services whose slices stay. */
  readonly kept: Set<KeyText>
}

/** Lists Services and slices, page by page. @throws KubernetesError */
export async function readInventory(client: ApiClient, settings: InventorySettings): Promise<Inventory> {
  const { gitVersion } = await client.read<{ gitVersion: string }>('/version')
  const found: Found = { managed: new Map(), invalid: [], kept: new Set() }
  const options = { ...settings, permissions: permissionsOf(client.cluster, settings) }
  for await (const { items } of client.pages(SERVICES)) {
    for (const service of items)
      classify(service, keyOf(client, service, service.metadata?.name), found, options)
  }
  return {
    name: client.cluster,
    reachable: true,
    serverVersion: gitVersion,
    services: found.managed.size,
    invalid: found.invalid,
    ...(await readSlices(client, settings, found)),
    doublyManaged: await readDoublyManaged(client, settings, found.managed),
    keys: [...found.managed.values()],
  }
}

/** Reads our slices. */
async function readSlices(
  client: ApiClient,
  { managedBy }: InventorySettings,
  { managed, kept }: Found,
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
      const isManaged = managed.has(keyText(key))
      if (!isManaged && !kept.has(keyText(key))) orphans.push(name)
      if (isManaged && heldSince([slice], Date.now()) !== undefined) held.add(service)
      if (quietOf(slice, Date.now()) > 0) fights.push(name)
    }
  }
  return { slices, endpoints, orphans, held: [...held], fights }
}

function classify(
  service: Service,
  key: ServiceKey,
  { managed, invalid, kept }: Found,
  { mode, leftovers, permissions }: InventorySettings & { readonly permissions: Permissions },
): void {
  const selection = selectionOf(service, mode, permissions)
  if (selection.kind === 'invalid') {
    invalid.push(`${key.namespace}/${key.service}`)
    kept.add(keyText(key))
  } else if (selection.kind !== 'unmanaged') managed.set(keyText(key), key)
  else if (leftoversOf(selection, leftovers) === 'keep') kept.add(keyText(key))
}

async function readDoublyManaged(
  client: ApiClient,
  { managedBy }: InventorySettings,
  managed: ReadonlyMap<KeyText, ServiceKey>,
): Promise<string[]> {
  if (managedBy === IN_TREE_CONTROLLER) return []
  const found = new Set<string>()
  const labelSelector = `${LABEL_MANAGED_BY}=${IN_TREE_CONTROLLER},${LABEL_SERVICE_NAME}`
  for await (const { items } of client.pages(ENDPOINT_SLICES, { labelSelector, metadataOnly: true })) {
    for (const slice of items) {
      const key = keyOf(client, slice, slice.metadata?.labels?.[LABEL_SERVICE_NAME])
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
