import type { Node } from '../../shared/endpointslice/index.ts'
import { type ApiClient, NODES } from '../../shared/kubernetes/index.ts'

export interface NodeRead {
  /** Capacity and conditions as well, which topology hints need; otherwise metadata only. Default false. */
  readonly whole?: boolean
  readonly signal?: AbortSignal
}

/** Reads the Nodes of a cluster, one list for all who wait for the next one. */
export interface NodeReader {
  /** Every Node, from a list that began after this call. */
  read(options?: NodeRead): Promise<readonly Node[]>
}

/**
 * A list that is under way may be older than what its caller has read before; callers that come meanwhile therefore share
 * the next one. So a batch of keys costs few lists, and none of them is stale.
 */
export function createNodeReader(client: ApiClient): NodeReader {
  const lanes = { whole: sharedList(client, false), metadata: sharedList(client, true) }
  return { read: ({ whole = false, signal } = {}) => (whole ? lanes.whole : lanes.metadata)(signal) }
}

function sharedList(
  client: ApiClient,
  metadataOnly: boolean,
): (signal?: AbortSignal) => Promise<readonly Node[]> {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<readonly Node[]> | undefined
  return async (signal) => {
    next ??= running.then(() => {
      const list = client.list(NODES, { metadataOnly }).then(({ items }) => items)
      next = undefined
      running = list.catch(() => undefined)
      return list
    })
    const nodes = await next
    signal?.throwIfAborted()
    return nodes
  }
}
