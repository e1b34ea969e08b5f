import {
  type ApiClient,
  type ApiClientOptions,
  type ClusterConnection,
  createApiClient,
  createCallBudget,
  createCallLimiter,
} from '../kubernetes/index.ts'
import type { Log } from '../telemetry/index.ts'
import { errorMessage, isRecent } from '../values/index.ts'
import type { ClusterDirectory } from './directory.ts'
import { ClusterAccessError } from './errors.ts'
import type { ClusterIdentities } from './identities.ts'

export type ClusterClients = ReturnType<typeof createClusterClients>

/** A cluster by its name, with its EKS tags. */
export interface NamedCluster {
  readonly name: string
  readonly tags?: Readonly<Record<string, string>>
  /** Reason for which it cannot be used, in words. */
  readonly problem?: string
}

/** Keys of a cluster that is not there must not make a search of every invocation. */
const SEARCH_INTERVAL_MS = 60_000

interface Entry {
  readonly connection: ClusterConnection
  readonly client: ApiClient
}

/** Options of clients that wait for their cluster's budget as long as it takes: of a relay or an audit. */
export const withBudget = (callsPerSecond: number) => (): ApiClientOptions => ({
  limiter: createCallLimiter({ budget: createCallBudget({ callsPerSecond }) }),
})

/**
 * Creates the API clients of a deployment's clusters: one each, for as long as the process lives and the
 * cluster is there.
 * @param optionsOf of each cluster's client; default: none
 * @param admit wraps each client; default: none does
 */
export function createClusterClients(
  directory: ClusterDirectory,
  logger: Log,
  optionsOf?: (cluster: string) => ApiClientOptions,
  admit: ClusterIdentities['admit'] = (client) => client,
) {
  const entries = new Map<string, Entry>()
  let searchedAt = Number.NEGATIVE_INFINITY
  let search: Promise<readonly ApiClient[]> | undefined
  let isMissed = false

  async function searchOnce(): Promise<readonly ApiClient[]> {
    const connections = await directory.connections()
    searchedAt = Date.now()
    isMissed = false
    const gone = new Map(entries)
    for (const connection of connections) {
      const { name } = connection
      gone.delete(name)
      const before = entries.get(name)
      if (before?.connection === connection) continue
      before?.client.close()
      const client = createApiClient(connection, optionsOf?.(name))
      entries.set(name, { connection, client: admit(client, connection) })
    }
    for (const [name, { client }] of gone) {
      client.close()
      entries.delete(name)
      logger.warn({ cluster: name }, 'the cluster is gone, or has lost its tag: it is left alone from now on')
    }
    return [...entries.values()].map(({ client }) => client)
  }

  /** Returns every cluster's client. It first repeats the cluster discovery if some are found by a tag. */
  function refresh(): Promise<readonly ApiClient[]> {
    search ??= searchOnce().finally(() => {
      search = undefined
    })
    return search
  }

  async function refreshAfter(ageMs: number): Promise<void> {
    const isFirst = searchedAt === Number.NEGATIVE_INFINITY
    if (isFirst || (directory.isDiscovering && !isRecent(searchedAt, ageMs))) await refresh()
  }

  function assertSearched(what: string): void {
    const [cause] = directory.problems().unsearched
    if (cause === undefined) return
    const message = `failed to find ${what}: no search has succeeded yet: ${errorMessage(cause)}`
    throw new ClusterAccessError(message, { cause })
  }

  return {
    refresh,
    /**
     * Repeats the cluster discovery if this one is not known, or `find` missed one, at most once a minute.
     * @throws ClusterAccessError if it is still unknown, and may be found by its tag later
     */
    async meet(cluster: string): Promise<void> {
      if (entries.has(cluster) && !isMissed) return
      await refreshAfter(SEARCH_INTERVAL_MS)
      if (entries.has(cluster) || !directory.isDiscovering) return
      const problem =
        directory.problems().ambiguous.get(cluster) ??
        `no cluster of this name has the tag, or it could not be asked for; known are ${[...entries.keys()].join(', ') || 'none'}`
      throw new ClusterAccessError(`failed to find cluster ${cluster}: ${problem}`)
    },
    /** @throws ClusterAccessError when it is not known, and may be there as no search has succeeded yet */
    find(cluster: string): ApiClient | undefined {
      const known = entries.get(cluster)
      isMissed ||= known === undefined && directory.problems().unsearched.length > 0
      if (known === undefined) assertSearched(`cluster ${cluster}`)
      return known?.client
    },
    /**
     * Repeats the cluster discovery unless the last one is at most this old.
     * @throws ClusterAccessError if there may be others, as no discovery has succeeded yet
     */
    async meetAll(maximumAgeMs: number): Promise<void> {
      await refreshAfter(maximumAgeMs)
      assertSearched('all clusters')
    },
    /** Returns every known cluster with its tags, and those of names that two clusters have. */
    known(): readonly NamedCluster[] {
      const tags = directory.tags()
      const known = [...entries.keys()].map((name) => ({ name, tags: tags.get(name) }))
      const { ambiguous } = directory.problems()
      return [
        ...known,
        ...Array.from(ambiguous, ([name, problem]) => ({ name, tags: tags.get(name), problem })),
      ]
    },
    has: (cluster: string): boolean => entries.has(cluster),
    names: (): readonly string[] => [...entries.keys()],
    problems: () => directory.problems(),
    close(): void {
      for (const { client } of entries.values()) client.close()
    },
  }
}
