import { type EndpointSelector, type Service, serviceOfSelector } from '../../endpointslice/index.ts'
import { apiVersionOf, type Resource } from '../../kubernetes/index.ts'
import { type Change, ENDPOINT_SELECTOR, ownerText, parseOwnerText } from '../key-queue/index.ts'
import type { ObjectKey } from '../selection/index.ts'
import { isOwnAnnotation } from '../sources/index.ts'
import type { ServiceEntry, ServiceTable } from '../tables/index.ts'
import { knownTime } from '../tables/index.ts'
import type { KindTable } from './kind-index.ts'
import { isOurs } from './service-facts.ts'
import { changeOf, keyChange, type Tables } from './tables.ts'

/** Tells which keys a change of a Service concerns. @param services the table of its kind of owners */
export function createServiceIndex(
  tables: Pick<Tables, 'cluster' | 'slices' | 'endpoints'>,
  services: ServiceTable,
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
    return isConcerned(key, before, after)
      ? [changeOf(after, isNew ? { triggerTime: knownTime(service.metadata?.creationTimestamp) } : {})]
      : []
  }

  function removeService(key: ObjectKey): Change[] {
    return services.get(key) === undefined ? [] : serviceGone(key, services.delete(key))
  }

  /**
   * Returns the key of a Service that is gone. Of an unmanaged Service only the slices that it left behind
   * concern us.
   */
  function serviceGone(key: string, entry: ServiceEntry | undefined): Change[] {
    return isConcerned(key, entry) ? [keyChange(tables, key)] : []
  }

  return {
    size: () => services.size,
    listing: services.listing,
    put: putService,
    remove: removeService,
    listed: () => services.listed().flatMap(([key, entry]) => serviceGone(key, entry)),
  }
}

/**
 * Tells which keys a change of an EndpointSelector concerns: the same as of the Service that it reads as.
 * @param resource its API, which a list of an API server's own kinds does not repeat
 */
export function createEndpointSelectorIndex(
  tables: Pick<Tables, 'cluster' | 'slices' | 'endpoints'>,
  selectors: ServiceTable,
  resource: Resource,
): KindTable<EndpointSelector> {
  const { put, remove, ...index } = createServiceIndex(tables, selectors)
  const apiVersion = apiVersionOf(resource)
  const service = (selector: EndpointSelector): Service =>
    serviceOfSelector({ ...selector, apiVersion }, isOwnAnnotation)
  return {
    ...index,
    put: (key, selector) => put(textOf(key), service(selector)),
    remove: (key, selector) => remove(textOf(key), service(selector)),
  }
}

const textOf = (key: ObjectKey): ObjectKey =>
  `${ownerText({ ...parseOwnerText(key), ownerKind: ENDPOINT_SELECTOR })}` as ObjectKey
