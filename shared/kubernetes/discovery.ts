import { recordOf } from '../values/index.ts'
import type { ApiClient, CallOptions } from './api-client.ts'
import { ForbiddenError, KubernetesError, NotFoundError } from './errors/errors.ts'
import { type ApiObject, NAMESPACES, type Resource } from './resources.ts'

/** A kind of the API as people name it, without its plural. */
interface KindRef {
  /** Empty for the core group. */
  readonly group: string
  readonly kind: string
  /** Default: the preferred version of the API server. */
  readonly version?: string | undefined
}

/** The API server serves no such kind (yet: a CustomResourceDefinition may still come). */
export class UnknownKindError extends KubernetesError {
  override readonly name = 'UnknownKindError'
}

/**
 * Finds out under which names an API server serves a kind.
 * @throws UnknownKindError, or the KubernetesError of a call
 */
export async function findResource(
  client: ApiClient,
  ref: KindRef,
  options?: CallOptions,
): Promise<Resource> {
  const { group, kind } = ref
  for (const version of ref.version === undefined ? await versionsOf(group) : [ref.version]) {
    const parts = group === '' ? ['api', version] : ['apis', group, version]
    const kinds = itemsOf(await read(`/${parts.map(encodeURIComponent).join('/')}`), 'resources')
    // A subresource is named `plural/subresource`.
    const entry = kinds?.map(recordOf).find((each) => each.kind === kind && !String(each.name).includes('/'))
    if (entry !== undefined)
      return { group, version, kind, plural: String(entry.name), namespaced: entry.namespaced === true }
  }
  throw new UnknownKindError(
    `failed to find the kind ${kind} of ${groupText(ref)} in cluster ${client.cluster}: the API server does not serve it; check its name and group, and whether its CustomResourceDefinition is installed`,
  )

  /** Lists the versions of a group, the preferred one first: a kind may be in only some of them. */
  async function versionsOf(group: string): Promise<readonly string[]> {
    if (group === '') return ['v1']
    const answer = recordOf(await read(`/apis/${encodeURIComponent(group)}`))
    const versions = [answer.preferredVersion, ...(itemsOf(answer, 'versions') ?? [])].map(recordOf)
    return [...new Set(versions.flatMap(({ version }) => (typeof version === 'string' ? version : [])))]
  }

  /** Reads a path; returns undefined if there is nothing. */
  async function read(path: string): Promise<unknown> {
    try {
      return await client.read(path, options)
    } catch (error) {
      if (error instanceof NotFoundError) return undefined
      throw error
    }
  }
}

const groupText = ({ group, version }: KindRef): string =>
  `${group === '' ? 'the core group' : `group ${group}`}${version === undefined ? '' : ` (${version})`}`

/**
 * How long a caller may cache what a server serves, in milliseconds. After a kind was found that was not
 * served before, callers wait as long until others have noticed, too.
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
    const served = groups.find((each) => recordOf(each).name === group)
    if (!itemsOf(served, 'versions')?.some((each) => recordOf(each).version === version)) continue
    const kinds = await listAt(`/apis/${group}/${version}`, 'resources')
    if (kinds.some((kind) => recordOf(kind).name === plural)) return resource
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

function itemsOf(value: unknown, field: string): readonly unknown[] | undefined {
  const items = recordOf(value)[field]
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
