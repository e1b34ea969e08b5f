import { type Endpoints, isLock } from '../../endpointslice/index.ts'
import { createObjectTable, type ObjectTable } from '../../kubernetes/index.ts'

/** The Endpoints of a cluster, by `namespace/name`: their versions. */
export interface EndpointsTable
  extends Pick<ObjectTable<string>, 'get' | 'size' | 'delete' | 'listing' | 'listed'> {
  /** @returns whether they are not as they were */
  put(key: string, endpoints: Endpoints): boolean
}

/** Version of Endpoints that stand for a lock, which is renewed every few seconds and never mirrored. */
const LOCK = 'lock'

export function createEndpointsTable(): EndpointsTable {
  const table = createObjectTable<string>()
  return {
    get: table.get,
    get size() {
      return table.size
    },
    delete: table.delete,
    listing: table.listing,
    listed: table.listed,
    put(key, endpoints) {
      const [before, after] = [table.get(key), versionOf(endpoints)]
      table.set(key, after)
      return before !== after
    },
  }
}

function versionOf(endpoints: Endpoints): string {
  const { metadata } = endpoints
  return isLock(endpoints) ? LOCK : `${metadata?.uid} ${metadata?.resourceVersion}`
}
