import { ENDPOINT_SELECTOR, FLEET_MANAGED_BY } from '../../changes/index.ts'
import type { ClusterSetMember } from '../../cluster-sets/index.ts'
import {
  type EndpointSlice,
  LABEL_MANAGED_BY,
  SERVICE_OWNER,
  type Service,
} from '../../endpointslice/index.ts'
import {
  type ApiClient,
  ENDPOINT_SELECTORS,
  ENDPOINT_SLICES,
  firstServed,
  labelValue,
  NATIVE_ENDPOINT_SELECTORS,
  NotFoundError,
  SERVICES,
} from '../../kubernetes/index.ts'
import { type OwnerReader, readObject, withOwnNotes } from '../../reconciler/index.ts'
import { exportedOwner, exportedSelector } from '../export-kind.ts'
import { derivedServiceName } from '../import-owner.ts'
import {
  type McsVersion,
  type ServiceExport,
  type ServiceImport,
  serviceExports,
  serviceImports,
} from '../resources.ts'
import { LABEL_CLUSTER_SET, LABEL_IMPORT_NAME } from '../well-known.ts'

/** A member of a set that serves the API of it. */
export interface FleetCluster {
  readonly member: ClusterSetMember
  readonly client: ApiClient
  readonly version: McsVersion
}

/** Objects of an imported Service in one cluster; absent members are not there. */
export interface ImportState {
  readonly import: ServiceImport | undefined
  readonly derived: Service | undefined
  /** Slices of the set, without notes that are not ours. */
  readonly slices: readonly EndpointSlice[]
}

/** Objects of an exported Service in one cluster. */
export interface ExportState {
  readonly export: ServiceExport | undefined
  /** The Service, or an exported EndpointSelector in the form of one. */
  readonly service: Service | undefined
  /** Slices of it, by whatever manager. */
  readonly slices: readonly EndpointSlice[]
}

/** A Service of a cluster set, and how it is read. */
export interface FleetRead {
  readonly set: string
  readonly namespace: string
  readonly name: string
  /** Reads EndpointSelectors that are exported. */
  readonly owners: OwnerReader
  readonly signal: AbortSignal
}

/** @throws KubernetesError when one of the reads failed */
export async function readImport({ client, version }: FleetCluster, read: FleetRead): Promise<ImportState> {
  const { set, namespace, name, signal } = read
  const labelSelector = `${LABEL_IMPORT_NAME}=${name},${LABEL_MANAGED_BY}=${FLEET_MANAGED_BY},${LABEL_CLUSTER_SET}=${set}`
  const [slices, object, derived] = await Promise.all([
    listSlices(client, labelSelector, read),
    readObject(client, serviceImports(version), { namespace, name }, { signal }),
    readObject(client, SERVICES, { namespace, name: derivedServiceName(namespace, name) }, { signal }),
  ])
  return { import: object, derived, slices: slices.map(withOwnNotes) }
}

/** @throws KubernetesError when one of the reads failed */
export async function readExport({ client, version }: FleetCluster, read: FleetRead): Promise<ExportState> {
  const { namespace, name, signal } = read
  const object = await readObject(client, serviceExports(version), { namespace, name }, { signal })
  const owner = object && exportedOwner(object)
  // A Service without an export adds nothing, whatever others export.
  if (owner === undefined || typeof owner === 'string')
    return { export: object, service: undefined, slices: [] }
  const slicesOf = listSlices(client, owner.selector(name), read)
  if (owner === SERVICE_OWNER) {
    const service = readObject(client, SERVICES, { namespace, name }, { signal })
    const [found, slices] = await Promise.all([service, slicesOf])
    return { export: object, service: found, slices }
  }
  const slices = await slicesOf
  return { export: object, service: await readSelector(client, slices, read), slices }
}

/**
 * Reads an EndpointSelector that is exported. Undefined: there is none, also where nothing is published and
 * the cluster serves none.
 * @throws KubernetesError
 */
export async function readSelector(
  client: ApiClient,
  slices: readonly EndpointSlice[],
  { namespace, name: service, owners, signal }: FleetRead,
): Promise<Service | undefined> {
  const key = { cluster: client.cluster, namespace, service, ownerKind: ENDPOINT_SELECTOR }
  try {
    const selector = await owners.read(client, key, { slices, signal })
    return selector && exportedSelector(selector)
  } catch (error) {
    const isServed = async (): Promise<boolean> =>
      (await firstServed(client, [NATIVE_ENDPOINT_SELECTORS, ENDPOINT_SELECTORS], { signal })) !== undefined
    if (error instanceof NotFoundError && slices.length === 0 && !(await isServed())) return undefined
    throw error
  }
}

async function listSlices(
  client: ApiClient,
  labelSelector: string,
  { namespace, name, signal }: FleetRead,
): Promise<readonly EndpointSlice[]> {
  // A longer name is one of no label: no slice is of it, and the API server refuses to look.
  if (labelValue(name).length > 0) return []
  return (await client.list(ENDPOINT_SLICES, { namespace, labelSelector, signal })).items
}
