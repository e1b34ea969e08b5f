import type { Service } from '../../endpointslice/index.ts'
import type { Change } from '../change.ts'
import { knownTime } from '../digests.ts'
import type { ObjectKey } from '../object-form.ts'
import type { ServiceEntry } from '../service-table.ts'
import type { KindTable } from './kind-index.ts'
import { isOurs } from './service-facts.ts'
import { changeOf, keyChange, type Tables } from './tables.ts'

/** Tells which keys a change of a Service concerns. */
export function createServiceIndex(
  tables: Pick<Tables, 'cluster' | 'services' | 'slices'>,
): KindTable<Service> {
  const { services, slices } = tables

  function putService(key: ObjectKey, service: Service): Change[] {
    const { before, after } = services.put(key, service)
    if (before === after) return []
    // Slices that it left behind may be waiting for a word on the Service.
    const concerned =
      [before, after].some((entry) => entry !== undefined && isOurs(entry)) || slices.of(key).size > 0
    const isNew = before === undefined
    return concerned
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
    const concerned = (entry !== undefined && isOurs(entry)) || slices.of(key).size > 0
    return concerned ? [keyChange(tables, key)] : []
  }

  return {
    listing: services.listing,
    put: putService,
    remove: removeService,
    listed: () => services.listed().flatMap(([key, entry]) => serviceGone(key, entry)),
  }
}
