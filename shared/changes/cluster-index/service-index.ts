import { type EndpointSelector, type Service, serviceOfSelector } from '../../endpointslice/index.ts'
import { apiVersionOf, type Resource } from '../../kubernetes/index.ts'
import type { Change } from '../key-queue/change.ts'
import { ENDPOINT_SELECTOR, ownerText, parseOwnerText } from '../key-queue/key.ts'
import type { ObjectKey } from '../selection/object-form.ts'
import { isOwnAnnotation } from '../sources/annotations.ts'
import { knownTime } from '../tables/digests.ts'
import type { ServiceEntry, ServiceTable } from '../tables/service-table.ts'
import type { KindTable } from './kind-index.ts'
import type { Projections } from './projections.ts'
import { isOurs } from './service-facts.ts'
import { changeOf, keyChange, type Tables } from './tables.ts'

/**
 * Finds which keys a change of a Service concerns.
 * @param services the table of its kind of owners
 * @param projections default: none depend on this kind
 */
export function createServiceIndex(
  tables: Pick<Tables, 'cluster' | 'slices' | 'endpoints'>,
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
 * Finds which keys a change of an EndpointSelector concerns: the same as of the Service that it reads as.
 * @param resource its API, which a list of an API server's own kinds does not repeat
 * @param projections default: none are of this API
 */
export function createEndpointSelectorIndex(
  tables: Pick<Tables, 'cluster' | 'slices' | 'endpoints'>,
  selectors: ServiceTable,
  resource: Resource,
  projections?: Projections,
): KindTable<EndpointSelector> {
  const { put, remove, listed, ...index } = createServiceIndex(tables, selectors, projections)
  const apiVersion = apiVersionOf(resource)
  const service = (selector: EndpointSelector): Service =>
    serviceOfSelector({ ...selector, apiVersion }, isOwnAnnotation)
  return {
    ...index,
    listed: (version) => [...listed(version), ...(projections?.listed() ?? [])],
    put: (key, selector) => put(textOf(key), service(selector)),
    remove: (key, selector) => remove(textOf(key), service(selector)),
  }
}

const textOf = (key: ObjectKey): ObjectKey =>
  `${ownerText({ ...parseOwnerText(key), ownerKind: ENDPOINT_SELECTOR })}` as ObjectKey
