import type { Change, KindIndex } from '../../changes/index.ts'
import { type ApiObject, createObjectTable } from '../../kubernetes/index.ts'
import { readMetadata, type WatchedMetadata } from './watched-metadata.ts'

interface MetadataIndex extends KindIndex<ApiObject> {
  readonly isListed: boolean
  readonly size: number
}

/**
 * Objects without a namespace that concern several keys when they come, go or change: namespaces, and the
 * properties of a cluster.
 * @param contentOf the same as long as nothing changes that counts
 * @param changesBy the changes of all keys that one of them concerns, by its name
 */
export function createMetadataIndex(
  contentOf: (metadata: WatchedMetadata) => string,
  changesBy: (name: string) => Change[],
): MetadataIndex {
  const table = createObjectTable<string>()
  return {
    get isListed() {
      return table.isListed()
    },
    get size() {
      return table.size()
    },
    listing: table.listing,
    put(object) {
      const metadata = readMetadata(object)
      if (metadata === undefined) return []
      const { name } = metadata
      const [before, after] = [table.get(name), contentOf(metadata)]
      table.set(name, after)
      return before === after ? [] : changesBy(name)
    },
    remove(object) {
      const name = readMetadata(object)?.name
      if (name === undefined || table.get(name) === undefined) return []
      table.delete(name)
      return changesBy(name)
    },
    listed: () => table.listed().flatMap(([name]) => changesBy(name)),
    bookmark: () => undefined,
  }
}
