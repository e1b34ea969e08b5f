import type { Change, KindIndex } from '../../changes/index.ts'
import { type ApiObject, createObjectTable } from '../../kubernetes/index.ts'
import { readMetadata } from './watched-metadata.ts'

export interface NamespaceIndex extends KindIndex<ApiObject> {
  readonly isListed: boolean
  readonly size: number
}

/**
 * Namespaces that come, go, or are made again.
 * @param changesIn of all keys of one of them
 */
export function createNamespaceIndex(changesIn: (namespace: string) => Change[]): NamespaceIndex {
  /** Their uids by name. */
  const table = createObjectTable<string>()
  let isListed = false
  return {
    get isListed() {
      return isListed
    },
    get size() {
      return table.size
    },
    listing: table.listing,
    put(object) {
      const { name, uid } = readMetadata(object) ?? {}
      if (name === undefined || uid === undefined) return []
      const before = table.get(name)
      table.set(name, uid)
      return before === uid ? [] : changesIn(name)
    },
    remove(object) {
      const name = readMetadata(object)?.name
      if (name === undefined || table.get(name) === undefined) return []
      table.delete(name)
      return changesIn(name)
    },
    listed() {
      isListed = true
      return table.listed().flatMap(([name]) => changesIn(name))
    },
    bookmark: () => undefined,
  }
}
