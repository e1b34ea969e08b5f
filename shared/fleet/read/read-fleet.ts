import {
  type EndpointSlice,
  LABEL_MANAGED_BY,
  SERVICE_OWNER,
  type Service,
} from '../../endpointslice/index.ts'
import { type ApiClient, ENDPOINT_SLICES, SERVICES } from '../../kubernetes/index.ts'
import { readObject, withOwnNotes } from '../../reconciler/index.ts'
import type { ClusterSetMember } from '../cluster-set.ts'
import { derivedServiceName } from '../derived-name.ts'
import {
  type McsVersion,
  type ServiceExport,
  type ServiceImport,
  serviceExports,
  serviceImports,
} from '../resources.ts'
import { FLEET_MANAGED_BY, LABEL_CLUSTER_SET, LABEL_IMPORT_NAME } from '../well-known.ts'

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
  readonly service: Service | undefined
  /** Slices of the Service, by whatever manager. */
  readonly slices: readonly EndpointSlice[]
}

export interface FleetRead {
  readonly set: string
  readonly namespace: string
  readonly name: string
  readonly signal: AbortSignal
}

/** @throws KubernetesError when one of the reads failed */
export async function readImport(
  { client, version }: FleetCluster,
  { set, namespace, name, signal }: FleetRead,
): Promise<ImportState> {
  const labels = {
    [LABEL_IMPORT_NAME]: name,
    [LABEL_MANAGED_BY]: FLEET_MANAGED_BY,
    [LABEL_CLUSTER_SET]: set,
  }
  const [slices, object, derived] = await Promise.all([
    listSlices(client, namespace, labels, signal),
    readObject(client, serviceImports(version), { namespace, name }, { signal }),
    readObject(client, SERVICES, { namespace, name: derivedServiceName(namespace, name) }, { signal }),
  ])
  return { import: object, derived, slices: slices.map(withOwnNotes) }
}

/** @throws KubernetesError when one of the reads failed */
export async function readExport(
  { client, version }: FleetCluster,
  { namespace, name, signal }: FleetRead,
): Promise<ExportState> {
  const object = await readObject(client, serviceExports(version), { namespace, name }, { signal })
  // A Service without an export adds nothing, whatever others export.
  if (object === undefined) return { export: undefined, service: undefined, slices: [] }
  const [service, slices] = await Promise.all([
    readObject(client, SERVICES, { namespace, name }, { signal }),
    listSlices(client, namespace, { [SERVICE_OWNER.nameLabel]: name }, signal),
  ])
  return { export: object, service, slices }
}

async function listSlices(
  client: ApiClient,
  namespace: string,
  labels: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<readonly EndpointSlice[]> {
  const labelSelector = Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',')
  return (await client.list(ENDPOINT_SLICES, { namespace, labelSelector, signal })).items
}
