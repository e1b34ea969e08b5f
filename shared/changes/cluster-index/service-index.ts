import type { Service } from '../../endpointslice/index.ts'
import { apiVersionOf, ENDPOINT_SELECTORS, type Resource } from '../../kubernetes/index.ts'
import type { Change } from '../key-queue/change.ts'
import { ownerText, parseOwnerText } from '../key-queue/key.ts'
import type { OtherOwner, OwnerObject } from '../owners/other-owner.ts'
import type { ObjectKey } from '../selection/object-form.ts'
import { knownTime } from '../tables/digests.ts'
import type { OwnerTables } from '../tables/owner-table.ts'
import type { ServiceEntry, ServiceTable } from '../tables/service-table.ts'
import type { KindTable } from './kind-index.ts'
import type { Projections } from './projections.ts'
import { isOurs } from './service-facts.ts'
import { changeOf, keyChange, type Tables } from './tables.ts'

type ServiceParts = Pick<Tables, 'cluster' | 'slices' | 'endpoints'>

interface OwnerParts extends ServiceParts {
  readonly owners: OwnerTables
  readonly projections: Projections
}

/**
 * Finds which keys a change of a Service concerns.
 * @param services the table of its kind of owners
 * @param projections default: none depend on this kind
 */
export function createServiceIndex(
  tables: ServiceParts,
  services: ServiceTable,
  projections?: Projections,
): KindTable<Service> {
  const { slices, endpoints } = tables

  /** Reports whether something may be to be written for the Service, or for slices that it left behind. */
  function isConcerned(key: string, ...entries: readonly (ServiceEntry | undefined)[]): boolean {
    const hasEndpoints = endpoints.get(key) !== undefined
    return (
      entries.some((entry) => entry !== undefined && isOurs(entry, hasEndpoints)) || slices.of(key).size > 0
    )
  }

  function putService(key: ObjectKey, service: Service): Change[] {
    const { before, after } = services.put(key, service)
    if (before === after) return []
    const isNew = before === undefined
    // Slices that it left behind may be waiting for a word on the Service.
    const own = isConcerned(key, before, after)
      ? [changeOf(after, isNew ? { triggerTime: knownTime(service.metadata?.creationTimestamp) } : {})]
      : []
    return [...own, ...projected(key)]
  }

  function removeService(key: ObjectKey): Change[] {
    const gone = services.delete(key)
    return gone === undefined ? [] : [...serviceGone(key, gone), ...projected(key)]
  }

  const projected = (key: string): Change[] => projections?.changes(key) ?? []

  /** Returns the key of a Service that is gone; of an unmanaged one only if it left slices behind. */
  function serviceGone(key: string, entry: ServiceEntry | undefined): Change[] {
    return isConcerned(key, entry) ? [keyChange(tables, key)] : []
  }

  return {
    size: services.size,
    listing: services.listing,
    put: putService,
    remove: removeService,
    listed: () =>
      services.listed().flatMap(([key, entry]) => [...serviceGone(key, entry), ...projected(key)]),
  }
}

/**
 * Finds which keys a change of another owner of slices concerns: the same as of the Service that it reads as.
 * @param resource its API, which a list of an API server's own kinds does not repeat
 */
export function createOtherOwnerIndex(
  { owners, projections: all, ...tables }: OwnerParts,
  { owner, asService }: OtherOwner,
  resource: Resource,
): KindTable<OwnerObject> {
  const projections = resource === ENDPOINT_SELECTORS ? all : undefined
  const { put, remove, listed, ...index } = createServiceIndex(tables, owners.of(resource), projections)
  const apiVersion = apiVersionOf(resource)
  const textOf = (key: ObjectKey): ObjectKey =>
    `${ownerText({ ...parseOwnerText(key), ownerKind: owner.kind })}` as ObjectKey
  return {
    ...index,
    listed: (version) => [...listed(version), ...(projections?.listed() ?? [])],
    put: (key, object) => put(textOf(key), asService({ ...object, apiVersion })),
    remove: (key, object) => remove(textOf(key), asService({ ...object, apiVersion })),
  }
}
