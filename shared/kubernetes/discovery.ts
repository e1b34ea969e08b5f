import type { ApiClient, CallOptions } from './api-client.ts'
import { KubernetesError, NotFoundError } from './errors/errors.ts'
import type { Resource } from './resources.ts'

/** A kind of the API as people name it, without its plural. */
export interface KindRef {
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

/** Finds out under which names an API server serves kinds. */
export interface Discovery {
  /**
   * Finds the resource of a kind. Resources that were found are cached; the others are requested again.
   * @throws UnknownKindError, or the KubernetesError of a call
   */
  resourceOf(kind: KindRef, options?: CallOptions): Promise<Resource>
}

interface ApiGroup {
  readonly versions?: readonly { readonly version: string }[]
  readonly preferredVersion?: { readonly version: string }
}

interface ApiResourceList {
  readonly resources?: readonly {
    /** The plural, or `plural/subresource`. */
    readonly name: string
    readonly kind: string
    readonly namespaced: boolean
  }[]
}

export function createDiscovery(client: ApiClient): Discovery {
  const known = new Map<string, Resource>()

  /** Reads a path; returns undefined if there is nothing. */
  async function read<T>(path: string, options: CallOptions | undefined): Promise<T | undefined> {
    try {
      return await client.read<T>(path, options)
    } catch (error) {
      if (error instanceof NotFoundError) return undefined
      throw error
    }
  }

  /** Lists the versions of a group, the preferred one first: a kind may be in only some of them. */
  async function versionsOf({ group, version }: KindRef, options?: CallOptions): Promise<readonly string[]> {
    if (version !== undefined) return [version]
    if (group === '') return ['v1']
    const answer = await read<ApiGroup>(`/apis/${encodeURIComponent(group)}`, options)
    const versions = [answer?.preferredVersion, ...(answer?.versions ?? [])]
    return [...new Set(versions.flatMap((one) => one?.version ?? []))]
  }

  return {
    async resourceOf(ref, options) {
      const { group, kind } = ref
      const id = JSON.stringify([group, kind, ref.version])
      const cached = known.get(id)
      if (cached !== undefined) return cached
      for (const version of await versionsOf(ref, options)) {
        const parts = group === '' ? ['api', version] : ['apis', group, version]
        const answer = await read<ApiResourceList>(`/${parts.map(encodeURIComponent).join('/')}`, options)
        const entry = answer?.resources?.find(
          ({ name, kind: served }) => served === kind && !name.includes('/'),
        )
        if (entry === undefined) continue
        const resource = { group, version, kind, plural: entry.name, namespaced: entry.namespaced }
        known.set(id, resource)
        return resource
      }
      throw new UnknownKindError(
        `failed to find the kind ${kind} of ${groupText(ref)} in cluster ${client.cluster}: the API server does not serve it; check its name and group, and whether its CustomResourceDefinition is installed`,
      )
    },
  }
}

const groupText = ({ group, version }: KindRef): string =>
  `${group === '' ? 'the core group' : `group ${group}`}${version === undefined ? '' : ` (${version})`}`
