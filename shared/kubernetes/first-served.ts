import type { ApiClient, CallOptions } from './api-client.ts'
import { ForbiddenError, KubernetesError, NotFoundError } from './errors/errors.ts'
import { type ApiObject, NAMESPACES, type Resource } from './resources.ts'

/**
 * How long a caller may remember what a server serves, in milliseconds. Whoever finds a kind that was not
 * served before waits as long before others hear of its objects.
 */
export const SERVED_FOR_MS = 2_000

/**
 * Finds the first of some resources, such as the versions of a kind, that a cluster serves.
 * @returns undefined where the cluster says which groups and kinds it serves, and this is none of them: a
 *   404 alone, which may come from whatever stands before it, is an error
 * @throws KubernetesError
 */
export async function firstServed<T extends ApiObject>(
  client: ApiClient,
  resources: readonly Resource<T>[],
  options: CallOptions = {},
): Promise<Resource<T> | undefined> {
  const groups = await listAt('/apis', 'groups')
  for (const resource of resources) {
    const { group, version, plural } = resource
    const served = groups.find((each) => fieldOf(each, 'name') === group)
    if (!itemsOf(served, 'versions')?.some((each) => fieldOf(each, 'version') === version)) continue
    const kinds = await listAt(`/apis/${group}/${version}`, 'resources')
    if (kinds.some((kind) => fieldOf(kind, 'name') === plural)) return resource
  }
  return undefined

  async function listAt(path: string, field: string): Promise<readonly unknown[]> {
    const items = itemsOf(await client.read(path, options), field)
    if (items !== undefined) return items
    throw new KubernetesError(
      `failed to find the APIs of cluster ${client.cluster}: what it answers at ${path} has no list of ${field}`,
    )
  }
}

const fieldOf = (value: unknown, field: string): unknown =>
  typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[field]
    : undefined

function itemsOf(value: unknown, field: string): readonly unknown[] | undefined {
  const items = fieldOf(value, field)
  return Array.isArray(items) ? items : undefined
}

/** Every cluster has this namespace from its first start, and it cannot be deleted. */
const SYSTEM_NAMESPACE = 'kube-system'

interface ClusterUidOptions {
  readonly signal?: AbortSignal
  /** Called with the server's refusal. */
  readonly onForbidden?: (error: Error) => void
}

/**
 * Reads the uid of a cluster's namespace `kube-system`. It identifies the cluster, independent of its name in
 * a context, a tag or a list.
 * @returns undefined where the namespace may not be read
 * @throws KubernetesError
 */
export async function readClusterUid(
  client: ApiClient,
  { signal, onForbidden }: ClusterUidOptions = {},
): Promise<string | undefined> {
  try {
    const options = { metadataOnly: true, ...(signal && { signal }) }
    const { metadata } = await client.get(NAMESPACES, { name: SYSTEM_NAMESPACE }, options)
    const { uid } = metadata ?? {}
    return typeof uid === 'string' && uid !== '' ? uid.slice(0, MAX_UID_LENGTH) : undefined
  } catch (error) {
    if (!(error instanceof ForbiddenError || error instanceof NotFoundError)) throw error
    onForbidden?.(error)
    return undefined
  }
}

/** Characters of a uid, which is 36 long: what a server says is bounded. */
const MAX_UID_LENGTH = 128
