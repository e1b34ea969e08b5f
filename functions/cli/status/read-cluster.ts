import {
  type KeyText,
  keyText,
  leftoversOf,
  type ServiceKey,
  selectionOf,
} from '../../../shared/changes/index.ts'
import {
  IN_TREE_CONTROLLER,
  LABEL_MANAGED_BY,
  LABEL_SERVICE_NAME,
  type Service,
} from '../../../shared/endpointslice/index.ts'
import { type ApiClient, ENDPOINT_SLICES, SERVICES } from '../../../shared/kubernetes/index.ts'
import type { Settings } from '../../../shared/settings/index.ts'
import type { ReachableCluster } from './report.ts'

export type InventorySettings = Pick<Settings, 'mode' | 'managedBy' | 'leftovers'>

/** What a cluster has, by its lists. */
export interface Inventory extends Omit<ReachableCluster, 'check'> {
  /** Every key that a resync would send. */
  readonly keys: readonly ServiceKey[]
}

interface Found {
  readonly managed: Set<KeyText>
  readonly invalid: string[]
  /** Services whose leftover slices stay. */
  readonly kept: Set<KeyText>
}

/** Lists Services and slices, page by page. @throws KubernetesError */
export async function readInventory(client: ApiClient, settings: InventorySettings): Promise<Inventory> {
  const { gitVersion } = await client.read<{ gitVersion: string }>('/version')
  const found: Found = { managed: new Set(), invalid: [], kept: new Set() }
  const keys = new Map<KeyText, ServiceKey>()
  for await (const { items } of client.pages(SERVICES)) {
    for (const service of items) {
      const key = keyOf(client, service, service.metadata?.name)
      if (classify(service, key, found, settings)) keys.set(keyText(key), key)
    }
  }
  let slices = 0
  let endpoints = 0
  const orphans: string[] = []
  const ofOurs = `${LABEL_MANAGED_BY}=${settings.managedBy},${LABEL_SERVICE_NAME}`
  for await (const { items } of client.pages(ENDPOINT_SLICES, { labelSelector: ofOurs })) {
    for (const slice of items) {
      slices++
      endpoints += slice.endpoints?.length ?? 0
      const key = keyOf(client, slice, slice.metadata?.labels?.[LABEL_SERVICE_NAME])
      const isOrphan = !keys.has(keyText(key)) && !found.kept.has(keyText(key))
      if (isOrphan) orphans.push(`${key.namespace}/${slice.metadata?.name}`)
    }
  }
  return {
    name: client.cluster,
    reachable: true,
    serverVersion: gitVersion,
    services: found.managed.size,
    invalid: found.invalid,
    slices,
    endpoints,
    orphans,
    doublyManaged: await readDoublyManaged(client, settings, found.managed),
    keys: [...keys.values()],
  }
}

/** @returns whether a resync would send the key */
function classify(
  service: Service,
  key: ServiceKey,
  { managed, invalid, kept }: Found,
  { mode, leftovers }: InventorySettings,
): boolean {
  const selection = selectionOf(service, mode)
  if (selection.kind === 'unmanaged') {
    if (leftoversOf(selection, leftovers) === 'keep') kept.add(keyText(key))
    return false
  }
  if (selection.kind === 'invalid') invalid.push(`${key.namespace}/${key.service}`)
  else managed.add(keyText(key))
  return true
}

async function readDoublyManaged(
  client: ApiClient,
  { managedBy }: InventorySettings,
  managed: ReadonlySet<KeyText>,
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
