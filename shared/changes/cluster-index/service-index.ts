import type { Service } from '../../endpointslice/index.ts'
import type { Change } from '../queue/index.ts'
import type { ObjectKey } from '../selection/index.ts'
import type { ServiceEntry } from '../tables/index.ts'
import { knownTime } from '../tables/index.ts'
import type { KindTable } from './kind-index.ts'
import { isOurs } from './service-facts.ts'
import { changeOf, keyChange, type Tables } from './tables.ts'

/** Tells which keys a change of a Service concerns. */
export function createServiceIndex(
  tables: Pick<Tables, 'cluster' | 'services' | 'slices' | 'endpoints'>,
): KindTable<Service> {
  const { services, slices, endpoints } = tables

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
