import { ANNOTATION_RELEASE, FLEET_MANAGED_BY, otherOwner } from '../../../shared/changes/index.ts'
import {
  type EndpointSlice,
  LABEL_MANAGED_BY,
  ownerOfKind,
  type SliceOwner,
} from '../../../shared/endpointslice/index.ts'
import { findServed, IMPORT_OWNER, serviceImports } from '../../../shared/fleet/index.ts'
import {
  type ApiClient,
  type ApiObject,
  apiVersionOf,
  createApiClient,
  ENDPOINT_SLICES,
  firstServed,
  KubernetesError,
  type Resource,
  SERVICES,
} from '../../../shared/kubernetes/index.ts'
import { apisOf, heldSince } from '../../../shared/reconciler/index.ts'
import { loadCluster } from '../../clusters/open-clusters.ts'
import { type Flags, groupFlags } from '../../options/flags.ts'
import { settingOf } from '../../options/settings.ts'
import { type OwnerArgument, parseOwner } from '../../options/subject.ts'
import { printReport } from '../../output/print-report.ts'
import { UsageError } from '../../usage.ts'
import { GROUPS } from './command.ts'

/** No plan is held, so that nothing was released. */
class NothingHeldError extends Error {
  override readonly name = 'NothingHeldError'
}

/**
 * Returns the hold that is recorded for the Service or the ServiceImport, so that a later one is not released
 * with it.
 * @throws UsageError @throws NothingHeldError
 * @throws ApiError where there is no such object, or it may not be read
 */
export async function runRelease(service: string, flags: Flags): Promise<void> {
  const { asked, cluster } = groupFlags(flags, GROUPS)
  const named = parseOwner(service, asked.namespace)
  const connection = await loadCluster(cluster)
  const { name, namespace = connection.namespace ?? 'default' } = named
  const client = createApiClient(connection, { role: 'operator' })
  try {
    const { ownerKind } = named
    const owner = ownerOf(named, asked.fleet)
    const manager = asked.fleet ? FLEET_MANAGED_BY : settingOf('managedBy', flags)
    const labelSelector = `${owner.selector(name)},${LABEL_MANAGED_BY}=${manager}`
    const { items } = await client.list(ENDPOINT_SLICES, { namespace, labelSelector, metadataOnly: true })
    const since = heldSince(items, Date.now())
    const { kind } = owner
    const resource = await (asked.fleet ? servedImports(client) : resourceOf(ownerKind, items, client))
    if (since === undefined) {
      // A mistyped name is refused as such.
      await client.get<ApiObject>(resource, { namespace, name })
      throw new NothingHeldError(
        `no plan of ${kind} ${namespace}/${name} of cluster ${client.cluster} is held: none of its ${items.length} EndpointSlices with ${labelSelector} says so; sliceflow explain shows why they are as they are`,
      )
    }
    const patch = { metadata: { annotations: { [ANNOTATION_RELEASE]: since } } }
    await client.patch<ApiObject>(resource, { namespace, name }, patch)
    const of = { namespace, service: name, ...(ownerKind && { ownerKind }) }
    const outcome = { cluster: client.cluster, ...of, heldSince: since }
    printReport(
      { version: 1, ...outcome },
      asked.output,
      () =>
        `released the plan of ${kind} ${namespace}/${name} of cluster ${client.cluster} that was held since ${since}\n`,
    )
  } finally {
    client.close()
  }
}

/** @throws UsageError for an EndpointSelector of a cluster set, which has none */
function ownerOf({ ownerKind }: OwnerArgument, isFleet: boolean | undefined): SliceOwner {
  if (isFleet && ownerKind !== undefined)
    throw new UsageError('--fleet is about ServiceImports: leave it out for an EndpointSelector')
  return isFleet ? IMPORT_OWNER : ownerOfKind(ownerKind)
}

/** Returns the API of the owner that slices name; where they name none, one that the cluster serves. */
async function resourceOf(
  ownerKind: string | undefined,
  slices: readonly EndpointSlice[],
  client: ApiClient,
): Promise<Resource> {
  const resources = Object.values(otherOwner(ownerKind)?.resources ?? { services: SERVICES })
  const apis = apisOf(slices)
  const named = resources.find((resource) => resources.length === 1 || apis.has(apiVersionOf(resource)))
  return named ?? (await firstServed(client, resources)) ?? (resources[0] as Resource)
}

/** @throws KubernetesError where the cluster does not serve them */
async function servedImports(client: ApiClient): Promise<Resource> {
  const served = await findServed(client, serviceImports)
  if (served !== undefined) return served
  throw new KubernetesError(
    `failed to release the plan: cluster ${client.cluster} has no ServiceImports any more; nothing was written`,
  )
}
