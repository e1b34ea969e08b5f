import { type ApiClient, NotFoundError } from '../kubernetes/index.ts'
import { MCS_GROUP, MCS_VERSIONS, type McsVersion } from './resources.ts'

interface GroupDocument {
  readonly versions?: readonly { readonly version?: string }[]
}

/**
 * The version of the Multi-Cluster Services API that a cluster serves and that is understood; undefined where
 * it serves none.
 * @throws KubernetesError when the cluster did not say
 */
export async function servedMcsVersion(
  client: ApiClient,
  signal: AbortSignal,
): Promise<McsVersion | undefined> {
  try {
    const { versions } = await client.read<GroupDocument>(`/apis/${MCS_GROUP}`, { signal })
    const served = new Set(Array.isArray(versions) ? versions.map((each) => each?.version) : [])
    return MCS_VERSIONS.find((version) => served.has(version))
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}

/** Remembers for a while what clusters serve. */
export interface McsVersions {
  of(client: ApiClient, signal: AbortSignal): Promise<McsVersion | undefined>
  /** A call has shown that it is another by now. */
  forget(client: ApiClient): void
}

/** What is served seldom goes; what is not may come any time, and somebody waits for it. */
const REMEMBERED_MS = { served: 300_000, unserved: 5_000 }

/** @param now milliseconds since the epoch */
export function createMcsVersions(now: () => number): McsVersions {
  const known = new WeakMap<ApiClient, { readonly version: McsVersion | undefined; readonly until: number }>()
  return {
    async of(client, signal) {
      const kept = known.get(client)
      if (kept !== undefined && now() < kept.until) return kept.version
      const version = await servedMcsVersion(client, signal)
      const ms = version === undefined ? REMEMBERED_MS.unserved : REMEMBERED_MS.served
      known.set(client, { version, until: now() + ms })
      return version
    },
    forget: (client) => void known.delete(client),
  }
}
