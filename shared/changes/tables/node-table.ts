import type { Node } from '../../endpointslice/index.ts'
import { createObjectTable, type ObjectTable } from '../../kubernetes/index.ts'
import { type NodeDigest, nodeDigest } from './digests.ts'
import { VersionMark } from './version-mark.ts'

/**
 * The nodes of a cluster by name, and when one of them may last have come, gone or changed its zone. A list
 * counts as a change: before it a zone may have changed and changed back.
 */
export interface NodeTable extends Pick<ObjectTable<NodeDigest>, 'get' | 'entries' | 'size' | 'listing'> {
  /** Version of the last change or list; `undefined` while it is not known. */
  readonly changedAt: string | undefined
  /** Returns the digest before and after. */
  put(name: string, node: Node): { before: NodeDigest | undefined; after: NodeDigest }
  /** Returns whether it was there. */
  delete(name: string, node: Node): boolean
  /** Returns the names of those that are gone. */
  listed(resourceVersion: string | undefined): Set<string>
}

export function createNodeTable(): NodeTable {
  const table = createObjectTable<NodeDigest>()
  const changed = new VersionMark()
  return {
    ...table,
    get changedAt() {
      return changed.version
    },
    put(name, node) {
      const before = table.get(name)
      const after = nodeDigest(node)
      table.set(name, after)
      if (before?.zone !== after.zone) changed.advance(node.metadata?.resourceVersion)
      return { before, after }
    },
    delete(name, node) {
      if (table.get(name) === undefined) return false
      table.delete(name)
      changed.advance(node.metadata?.resourceVersion)
      return true
    },
    listed(resourceVersion) {
      const gone = new Set(table.listed().map(([name]) => name))
      changed.reset(resourceVersion)
      return gone
    },
  }
}
