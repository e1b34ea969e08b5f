import pLimit from 'p-limit'
import { isAsNew } from '../../changes/index.ts'
import { type EndpointSlice, LABEL_ZONE, type Node, type Pod } from '../../endpointslice/index.ts'
import { type ApiClient, NODES } from '../../kubernetes/index.ts'
import { BoundedCache } from '../../values/index.ts'
import { readObject } from './read-object.ts'

/** What a message says of the Nodes of its cluster. */
export interface NodesKnowledge {
  /** Nodes came, went or changed their zone at this version at the latest. Absent: it is not known. */
  readonly nodesVersion?: string | undefined
  /** Id of the history to which the version belongs. */
  readonly history?: string | undefined
  /** Without a version: Nodes read within these milliseconds are newer than the message. Default: none. */
  readonly sentAgoMs?: number | undefined
}

export interface NamedNodes extends NodesKnowledge {
  /** Names of the Nodes that are wanted; those that do not exist are absent from the answer. */
  readonly names: ReadonlySet<string>
  /**
   * Slices that were read for the same sync: a cached Node that they show in another zone is read
   * again. Absent: they are being read, and who has them asks again.
   */
  readonly slices?: readonly EndpointSlice[] | undefined
  readonly signal?: AbortSignal
}

export interface NodeReader {
  /** Lists every Node with capacity and conditions, for topology hints by CPU; begins after this call. */
  all(signal?: AbortSignal): Promise<readonly Node[]>
  /** Reads the metadata of some Nodes. */
  named(wanted: NamedNodes): Promise<readonly Node[]>
}

/** Above this number of Nodes that are not cached one list is requested: such a Service is large itself. */
const MAX_GETS = 256
/** Concurrent gets, over all syncs: each takes a connection, of 150 kB, and a batch has many clusters. */
const GETS_AT_ONCE = 16
/** Cached zones of one cluster; beyond them those that were used longest ago are forgotten. */
const MAX_CACHED = 10_000
/** Longer than an execution environment is usually busy; a zone that never changes is read seldom. */
const CACHED_MS = 10 * 60_000
/** A burst of keys reads each Node once. */
const UNSHOWN_MS = 5_000

interface CachedNode {
  readonly node: Node
  /** What was known when the Node was read: it is as new as that. */
  readonly asOf: NodesKnowledge
  readonly readAt: number
}

/**
 * Caches the zones of Nodes between syncs, as nothing changes less. A cached Node counts as long as
 * 1. no Node has come, gone or changed its zone since, by the `nodesVersion` of the message that is worked
 *    on, in the same history; or without one, the Node was read after the message was sent;
 * 2. no slice shows it in another zone: its writer may have read a newer Node;
 * 3. it was read in the last 10 minutes, and if no slice shows it at all, in the last 5 seconds: a writer
 *    that took its endpoints out may have read that it is gone, and a message that is older comes later.
 *    Nodes that do not exist are never cached.
 * Once the clock was set back, what was read before would seem younger than it is, and none of it counts.
 * @param now milliseconds since the epoch; default: the system's
 */
export function createNodeReader(client: ApiClient, now: () => number = Date.now): NodeReader {
  const cache = new BoundedCache<string, CachedNode>({ maxSize: MAX_CACHED, now, isSettable: true })
  const limit = pLimit(GETS_AT_ONCE)
  const listAll = sharedList(client, false)
  const listMetadata = sharedList(client, true)

  function keep(name: string, node: Node, { nodesVersion, history }: NodesKnowledge): void {
    const zone = node.metadata?.labels?.[LABEL_ZONE]
    const labels: Record<string, string> = zone === undefined ? {} : { [LABEL_ZONE]: zone }
    cache.set(name, {
      node: { metadata: { name, labels } },
      asOf: { nodesVersion, history },
      readAt: cache.now(),
    })
  }

  function isFresh(
    { node, asOf, readAt }: CachedNode,
    { slices, ...known }: NamedNodes,
    at: number,
  ): boolean {
    const readAgoMs = at - readAt
    if (!isKnownToBeNew({ asOf, readAgoMs }, known)) return false
    if (slices === undefined) return readAgoMs <= CACHED_MS
    const { name, labels } = node.metadata ?? {}
    const shown = slices.flatMap(
      ({ endpoints }) => endpoints?.filter(({ nodeName }) => nodeName === name) ?? [],
    )
    if (readAgoMs > (shown.length > 0 ? CACHED_MS : UNSHOWN_MS)) return false
    return shown.every(({ zone }) => (zone ?? '') === (labels?.[LABEL_ZONE] ?? ''))
  }

  async function get(name: string, wanted: NamedNodes): Promise<readonly Node[]> {
    const node = await readObject(client, NODES, { name }, { metadataOnly: true, signal: wanted.signal })
    cache.delete(name)
    if (node === undefined) return []
    keep(name, node, wanted)
    return [node]
  }

  return {
    all: listAll,
    async named(wanted) {
      const { names, signal } = wanted
      const at = cache.now()
      const found: Node[] = []
      const missing: string[] = []
      for (const name of names) {
        const known = cache.get(name)
        if (known !== undefined && isFresh(known, wanted, at)) found.push(known.node)
        else missing.push(name)
      }
      if (missing.length <= MAX_GETS) {
        const read = await Promise.all(missing.map((name) => limit(get, name, wanted)))
        return [...found, ...read.flat()]
      }
      const nodes = await listMetadata(signal)
      for (const name of missing) cache.delete(name)
      const read = nodes.filter(({ metadata }) => names.has(metadata?.name ?? ''))
      for (const node of read) keep(node.metadata?.name ?? '', node, wanted)
      return read
    },
  }
}

/** Reports whether a Node that was read is as new as what a message knows of. */
function isKnownToBeNew(
  { asOf, readAgoMs }: { readonly asOf: NodesKnowledge; readonly readAgoMs: number },
  { nodesVersion, history, sentAgoMs = 0 }: NodesKnowledge,
): boolean {
  if (nodesVersion === undefined) return readAgoMs < sentAgoMs
  return asOf.history === history && isAsNew(asOf.nodesVersion, nodesVersion)
}

/**
 * Shares lists between callers. A list that is under way may be older than what its caller has read before,
 * so callers that come meanwhile share the next one. A batch of keys thus costs few lists, and none is stale.
 */
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

export function nodesOf(pods: readonly Pod[]): Set<string> {
  const names = new Set<string>()
  for (const { spec } of pods) if (spec?.nodeName) names.add(spec.nodeName)
  return names
}
