import type { ApiClient } from './api-client.ts'
import { ForbiddenError, NotFoundError } from './errors/index.ts'
import { NAMESPACES } from './resources.ts'

/** Every cluster has this namespace from its first start, and it cannot be deleted. */
const SYSTEM_NAMESPACE = 'kube-system'

export interface ClusterUidOptions {
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
