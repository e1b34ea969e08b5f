import { type ClusterVersions, isAsNew } from '../../changes/index.ts'
import { type EndpointSlice, SERVICE_OWNER } from '../../endpointslice/index.ts'
import { type ApiObject, ENDPOINT_SLICES, SERVICES } from '../../kubernetes/index.ts'
import { readObject } from '../../reconciler/index.ts'
import { exportedOwner } from '../export-kind.ts'
import { serviceExports } from '../resources.ts'
import {
  type ExportState,
  type FleetCluster,
  type FleetRead,
  readExport,
  readSelector,
} from './read-fleet.ts'

/** More slices than these that changed are read in one list. */
const MAX_READS = 4

/**
 * Brings the cached state of an exported Service up to the versions that the message names, and reads nothing
 * else.
 * @throws KubernetesError when a read failed
 */
export async function refreshExport(
  cluster: FleetCluster,
  cached: ExportState,
  named: ClusterVersions,
  read: FleetRead,
): Promise<ExportState> {
  const { client, version } = cluster
  const { namespace, name, signal } = read
  if (named.export === undefined && cached.export === undefined) return cached
  const byName = new Map(cached.slices.map((slice) => [slice.metadata?.name ?? '', slice]))
  const names = Object.entries(named.slices ?? {})
  // A message that is late does not know yet what it does not name.
  const isGone = [...byName.keys()].some((name) => named.slices?.[name] === undefined)
  if (named.export === undefined || isGone) return readExport(cluster, read)
  const changed = names.filter(([slice, each]) => !isCurrent(byName.get(slice), each))
  const owner = exportedOwner(cached.export)
  if (cached.export === undefined || typeof owner === 'string' || changed.length > MAX_READS)
    return readExport(cluster, read)
  const ref = { namespace, name }
  // The relay does not watch EndpointSelectors for a set: what changes of one shows in its slices.
  const isService = owner === SERVICE_OWNER
  const [object, service, slices] = await Promise.all([
    isCurrent(cached.export, named.export)
      ? cached.export
      : readObject(client, serviceExports(version), ref, { signal }),
    !isService || isSame(cached.service, named.service)
      ? cached.service
      : readObject(client, SERVICES, ref, { signal }),
    Promise.all(
      names.map(async ([slice, each]): Promise<readonly EndpointSlice[]> => {
        const known = byName.get(slice)
        if (known !== undefined && isCurrent(known, each)) return [known]
        const found = await readObject(client, ENDPOINT_SLICES, { namespace, name: slice }, { signal })
        return found === undefined ? [] : [found]
      }),
    ),
  ])
  const all = slices.flat()
  // A slice may have gone to another Service since the relay saw it.
  const isStale = exportedOwner(object) !== owner || all.some((slice) => owner.nameOf(slice) !== name)
  if (isStale) return readExport(cluster, read)
  return { export: object, service: isService ? service : await readSelector(client, all, read), slices: all }
}

/** Reports whether an object is at least of a version. */
export const isCurrent = (object: ApiObject | undefined, version: string | undefined): boolean =>
  isAsNew(object?.metadata?.resourceVersion, version)

const isSame = (object: ApiObject | undefined, version: string | undefined): boolean =>
  version === undefined ? object === undefined : isCurrent(object, version)
