import type { Service } from '../../endpointslice/index.ts'
import {
  type ApiClient,
  causesOf,
  isAbsentObject,
  isNamespaceTerminating,
  NotFoundError,
  type Resource,
  refOf,
  SERVICES,
} from '../../kubernetes/index.ts'
import type { FleetContext } from '../fleet-context.ts'
import type { FleetCluster, ImportState } from '../read/read-fleet.ts'
import { type ServiceImport, serviceImports } from '../resources.ts'
import {
  derivedServiceOf,
  derivedServiceUpdate,
  mustBeReplaced,
  olderDistribution,
} from './derived-service.ts'
import { newImport, type WantedImport } from './import-object.ts'

/** Creates a ServiceImport. Returns undefined where its namespace is not there, or is being deleted. */
export async function createImport(
  { client, version }: FleetCluster,
  wanted: WantedImport,
  { signal }: FleetContext,
): Promise<ServiceImport | undefined> {
  try {
    return await client.create(serviceImports(version), newImport(wanted), { signal })
  } catch (error) {
    if (isWithoutNamespace(error)) return undefined
    throw error
  }
}

function isWithoutNamespace(error: unknown): boolean {
  if (error instanceof NotFoundError) return error.status.details?.kind === 'namespaces'
  return isNamespaceTerminating(error)
}

/** An import, and what of it decides about its derived Service. */
interface OwnedBy {
  readonly owner: ServiceImport
  readonly wanted: Pick<WantedImport, 'set' | 'spec'>
}

/** A headless import has no derived Service. One that has an address must have a port. */
const hasDerived = ({ spec }: Pick<WantedImport, 'spec'>): boolean =>
  spec.type !== 'Headless' && spec.ports.length > 0

/**
 * Returns what brings the derived Service up to date; undefined if it is so already. What it resolves to is
 * undefined where there is to be none.
 */
export function derivedWrite(
  { client }: FleetCluster,
  existing: Service | undefined,
  { owner, wanted: { set, spec } }: OwnedBy,
  { signal }: FleetContext,
): (() => Promise<Service | undefined>) | undefined {
  if (!hasDerived({ spec })) {
    if (existing === undefined) return undefined
    return () => remove(client, SERVICES, existing, signal)
  }
  const wanted = derivedServiceOf(set, owner, spec)
  const kept = existing === undefined || mustBeReplaced(existing) ? undefined : existing
  if (kept !== undefined && derivedServiceUpdate(kept, wanted) === undefined) return undefined
  async function write(service: Service): Promise<Service> {
    if (kept === undefined) return client.create(SERVICES, service, { signal })
    const update = derivedServiceUpdate(kept, service)
    return update === undefined ? kept : client.update(SERVICES, update, { signal })
  }
  return async () => {
    if (kept === undefined) await remove(client, SERVICES, existing, signal)
    try {
      return await write(wanted)
    } catch (error) {
      const older = olderDistribution(wanted)
      const isRefused = causesOf(error).some(({ field }) => field === 'spec.trafficDistribution')
      if (older === undefined || !isRefused) throw error
      return write(older)
    }
  }
}

export async function removeObjects(
  { client, version }: FleetCluster,
  { import: object, derived }: ImportState,
  { signal }: FleetContext,
): Promise<void> {
  await remove(client, SERVICES, derived, signal)
  await remove(client, serviceImports(version), object, signal)
}

/** Removes an object, if there is one; one that is gone already counts as removed. */
async function remove<T extends Service | ServiceImport>(
  client: ApiClient,
  resource: Resource<T>,
  object: T | undefined,
  signal: AbortSignal,
): Promise<undefined> {
  if (object === undefined) return
  const { uid, resourceVersion } = object.metadata ?? {}
  try {
    await client.delete(resource, refOf(object), { preconditions: { uid, resourceVersion }, signal })
  } catch (error) {
    if (!isAbsentObject(error, object.metadata?.name)) throw error
  }
}
