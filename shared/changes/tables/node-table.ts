import type { Node } from '../../endpointslice/index.ts'
import { createObjectTable } from '../../kubernetes/index.ts'
import { type NodeDigest, nodeDigest } from './digests.ts'
import { VersionMark } from './version-mark.ts'

export type NodeTable = ReturnType<typeof createNodeTable>

/**
 * The nodes of a cluster by name, and when one of them may last have come, gone or changed its zone. A list
 * counts as a change: before it a zone may have changed and changed back.
 */
export function createNodeTable() {
  const table = createObjectTable<NodeDigest>()
  const changed = new VersionMark()
  return {
    ...table,
    /** Version of the last change or list; `undefined` while it is not known. */
    get changedAt(): string | undefined {
      return changed.version
    },
    /** Returns the digest before and after. */
    put(name: string, node: Node): { before: NodeDigest | undefined; after: NodeDigest } {
      const after = nodeDigest(node)
      const before = table.set(name, after)
      if (before?.zone !== after.zone) changed.advance(node.metadata?.resourceVersion)
      return { before, after }
    },
    /** Returns whether it was there. */
    delete(name: string, node: Node): boolean {
      const wasThere = table.delete(name) !== undefined
      if (wasThere) changed.advance(node.metadata?.resourceVersion)
      return wasThere
    },
    /** Returns the names of those that are gone. */
    listed(resourceVersion: string | undefined): Set<string> {
      changed.reset(resourceVersion)
      return new Set(table.listed().map(([name]) => name))
    },
  }
}
