import { hasSeal, isSealed, OTHER_OWNERS } from '../../../shared/changes/index.ts'
import {
  type EndpointSlice,
  LABEL_MANAGED_BY,
  ownerOfSlice,
  projectedUid,
  SERVICE_OWNER,
} from '../../../shared/endpointslice/index.ts'
import {
  type ApiClient,
  ENDPOINT_SELECTORS,
  ENDPOINT_SLICES,
  firstServed,
} from '../../../shared/kubernetes/index.ts'

/** A slice or projection as it was found; it is deleted only as long as it is that one. */
export interface FoundSlice {
  readonly namespace: string
  readonly name: string
  /** Kind and name of the Service, or other owner, that it names. */
  readonly kind: string
  readonly service: string
  readonly uid: string | undefined
  readonly resourceVersion: string | undefined
  /** It is no slice, but an EndpointSelector that stands for the Service. */
  readonly isProjection?: true
}

export interface FoundSlices {
  /** Slices that Sliceflow made under the managed-by value. */
  readonly ours: readonly FoundSlice[]
  /** EndpointSelectors that Sliceflow made for Services under the value. */
  readonly projections: readonly FoundSlice[]
  /** Slices with that value that are not as Sliceflow wrote them; only where the value is shared. */
  readonly notOurs: number
  /** Slices that Sliceflow wrote under other managed-by values, by value. */
  readonly elsewhere: ReadonlyMap<string, number>
}

interface FindOptions {
  readonly managedBy: string
  /**
   * Whether others write slices with this value, too, such as the in-tree controller: then only a slice that
   * still is as Sliceflow wrote it, by its seal, counts as ours. Otherwise the value and a Service's name do.
   */
  readonly isShared: boolean
  /** The only namespace that is read; default: all. */
  readonly namespace?: string
}

/**
 * Finds the slices that Sliceflow made in a cluster.
 * @throws KubernetesError when a read failed: a part is never taken for all
 */
export async function findSlices(client: ApiClient, options: FindOptions): Promise<FoundSlices> {
  const { managedBy, isShared, namespace } = options
  const elsewhere = new Map<string, number>()
  const ours: FoundSlice[] = []
  let notOurs = 0
  const take = (slice: EndpointSlice): void => {
    const value = slice.metadata?.labels?.[LABEL_MANAGED_BY] ?? ''
    if (value === managedBy && isShared && !isSealed(slice)) notOurs++
    else if (value === managedBy) ours.push(foundSlice(slice))
    else if (hasSeal(slice)) elsewhere.set(value, (elsewhere.get(value) ?? 0) + 1)
  }
  for (const owner of [SERVICE_OWNER, ...OTHER_OWNERS.map((other) => other.owner)]) {
    // The seal is of the whole content.
    const list = { labelSelector: owner.selector(), metadataOnly: !isShared, namespace }
    for await (const { items } of client.pages(ENDPOINT_SLICES, list)) {
      for (const slice of items.filter(isAlive)) take(slice)
    }
  }
  return { ours, notOurs, elsewhere, projections: await findProjections(client, options) }
}

/** Finds the EndpointSelectors that stand for Services, in a cluster that serves them. */
async function findProjections(
  client: ApiClient,
  { managedBy, namespace }: FindOptions,
): Promise<FoundSlice[]> {
  const served = await firstServed(client, [ENDPOINT_SELECTORS])
  const found: FoundSlice[] = []
  if (served === undefined) return found
  const list = { labelSelector: `${LABEL_MANAGED_BY}=${managedBy}`, metadataOnly: true, namespace }
  for await (const { items } of client.pages(served, list))
    for (const { metadata } of items.filter((item) => isAlive(item) && projectedUid(item) !== undefined))
      found.push({
        namespace: metadata?.namespace ?? '',
        name: metadata?.name ?? '',
        kind: SERVICE_OWNER.kind,
        service: metadata?.name ?? '',
        uid: metadata?.uid,
        resourceVersion: metadata?.resourceVersion,
        isProjection: true,
      })
  return found
}

const isAlive = ({ metadata }: Pick<EndpointSlice, 'metadata'>): boolean =>
  (metadata?.deletionTimestamp ?? null) === null

function foundSlice(slice: EndpointSlice): FoundSlice {
  const owner = ownerOfSlice(slice) ?? SERVICE_OWNER
  return {
    namespace: slice.metadata?.namespace ?? '',
    name: slice.metadata?.name ?? '',
    kind: owner.kind,
    service: owner.nameOf(slice),
    uid: slice.metadata?.uid,
    resourceVersion: slice.metadata?.resourceVersion,
  }
}
