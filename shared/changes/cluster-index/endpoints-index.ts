import { type Endpoints, isLock } from '../../endpointslice/index.ts'
import type { Change } from '../key-queue/change.ts'
import type { KindTable } from './kind-index.ts'
import { keyChange, type Tables } from './tables.ts'

/** Finds the key of the Service that Endpoints are mirrored for, by their metadata alone. */
export function createEndpointsIndex(
  tables: Pick<Tables, 'cluster' | 'services' | 'endpoints'>,
): KindTable<Endpoints> {
  const { services, endpoints } = tables

  const concerned = (key: string): Change[] =>
    services.get(key)?.selection.kind === 'mirrored' ? [keyChange(tables, key)] : []

  return {
    size: endpoints.size,
    listing: endpoints.listing,
    put(key, object) {
      const after = versionOf(object)
      return endpoints.set(key, after) === after ? [] : concerned(key)
    },
    remove: (key) => (endpoints.delete(key) === undefined ? [] : concerned(key)),
    listed: () => endpoints.listed().flatMap(([key]) => concerned(key)),
  }
}

/** Version of Endpoints that stand for a lock, which is renewed every few seconds and never mirrored. */
const LOCK = 'lock'

const versionOf = (endpoints: Endpoints): string =>
  isLock(endpoints) ? LOCK : `${endpoints.metadata?.uid} ${endpoints.metadata?.resourceVersion}`
