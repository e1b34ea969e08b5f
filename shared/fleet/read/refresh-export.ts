import type { ClusterVersions } from '../../changes/index.ts'
import { compareVersions, type EndpointSlice, SERVICE_OWNER } from '../../endpointslice/index.ts'
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
 * Brings the cache of an exported Service up to the versions that the relay saw, and reads nothing else.
 * @throws KubernetesError when a read failed
 */
export async function refreshExport(
  cluster: FleetCluster,
  kept: ExportState,
  seen: ClusterVersions,
  read: FleetRead,
): Promise<ExportState> {
  const { client, version } = cluster
  const { namespace, name, signal } = read
  if (seen.export === undefined && kept.export === undefined) return kept
  const byName = new Map(kept.slices.map((slice) => [slice.metadata?.name ?? '', slice]))
  const names = Object.entries(seen.slices ?? {})
  // A message that is late does not know yet what it does not name.
  const isGone = [...byName.keys()].some((name) => seen.slices?.[name] === undefined)
  if (seen.export === undefined || isGone) return readExport(cluster, read)
  const changed = names.filter(([slice, each]) => !isCurrent(byName.get(slice), each))
  const owner = exportedOwner(kept.export)
  if (kept.export === undefined || typeof owner === 'string' || changed.length > MAX_READS)
    return readExport(cluster, read)
  const ref = { namespace, name }
  // The relay does not watch EndpointSelectors for a set: what changes of one shows in its slices.
  const isService = owner === SERVICE_OWNER
  const [object, service, slices] = await Promise.all([
    isCurrent(kept.export, seen.export)
      ? kept.export
      : readObject(client, serviceExports(version), ref, { signal }),
    !isService || isSame(kept.service, seen.service)
      ? kept.service
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
  if (exportedOwner(object) !== owner) return readExport(cluster, read)
  return { export: object, service: isService ? service : await readSelector(client, all, read), slices: all }
}

/** Reports whether an object is at least as new as the relay saw it. */
export function isCurrent(object: ApiObject | undefined, seen: string | undefined): boolean {
  const known = object?.metadata?.resourceVersion
  return known !== undefined && seen !== undefined && compareVersions(known, seen) >= 0
}

const isSame = (object: ApiObject | undefined, seen: string | undefined): boolean =>
  seen === undefined ? object === undefined : isCurrent(object, seen)
