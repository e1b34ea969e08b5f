import { type ApiClient, firstServed, KubernetesError } from '../../kubernetes/index.ts'
import { isRecord } from '../../values/index.ts'
import type { ClusterSetMember } from '../cluster-set.ts'
import { ABOUT_VERSIONS, clusterProperties } from '../resources.ts'
import type { Properties } from './cluster-selectors.ts'

/** ClusterProperties of a cluster at most: they are facts about it, some dozens. */
const MAX_PROPERTIES = 1000

interface ReadPropertiesOptions {
  readonly client: ApiClient
  readonly member: ClusterSetMember
  /** Names of the properties that are needed; others are not returned. */
  readonly keys: ReadonlySet<string>
  readonly signal: AbortSignal
}

/**
 * Reads the properties of a cluster: those that the set gives it, then its ClusterProperties (KEP-2149). One
 * that serves none has only the first; where these are all that is needed, nothing is read.
 * @throws KubernetesError when they cannot be read, or are more than MAX_PROPERTIES
 */
export async function readProperties(options: ReadPropertiesOptions): Promise<Properties> {
  const { client, member, keys, signal } = options
  const given = Object.entries(member.properties ?? {}).filter(([key]) => keys.has(key))
  if (given.length === keys.size) return Object.fromEntries(given)
  const resource = await firstServed(client, ABOUT_VERSIONS.map(clusterProperties), { signal })
  if (resource === undefined) return Object.fromEntries(given)
  const { items } = await client.list(resource, { signal })
  if (items.length > MAX_PROPERTIES)
    throw new KubernetesError(
      `cluster ${client.cluster} has ${items.length} ClusterProperties; at most ${MAX_PROPERTIES} are read`,
    )
  const own = items.flatMap(({ metadata, spec }): [string, string][] => {
    const [name, value] = [metadata?.name, isRecord(spec) ? spec.value : undefined]
    return typeof name === 'string' && keys.has(name) && typeof value === 'string' ? [[name, value]] : []
  })
  return Object.fromEntries([...own, ...given])
}
