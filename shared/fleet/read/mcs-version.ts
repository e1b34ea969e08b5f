import type { ApiClient } from '../../kubernetes/index.ts'
import { MCS_VERSIONS, type McsVersion, serviceImports } from '../resources.ts'
import { findServed } from './find-served.ts'

/** Remembers for a while what clusters serve. */
interface McsVersions {
  of(client: ApiClient, signal: AbortSignal): Promise<McsVersion | undefined>
  /** Forgets what a cluster serves, as a call has shown that it is another version by now. */
  forget(client: ApiClient): void
}

/**
 * Times for which an answer is remembered, in milliseconds. A version that is served seldom goes; one that is
 * not may come any time, and somebody waits for it.
 */
const REMEMBERED_MS = { served: 300_000, unserved: 5_000 }

/** @param now milliseconds since the epoch */
export function createMcsVersions(now: () => number): McsVersions {
  const known = new WeakMap<ApiClient, { readonly version: McsVersion | undefined; readonly until: number }>()
  return {
    async of(client, signal) {
      const kept = known.get(client)
      if (kept !== undefined && now() < kept.until) return kept.version
      const served = await findServed(client, serviceImports, { signal })
      const version = MCS_VERSIONS.find((each) => each === served?.version)
      const ms = version === undefined ? REMEMBERED_MS.unserved : REMEMBERED_MS.served
      known.set(client, { version, until: now() + ms })
      return version
    },
    forget: (client) => void known.delete(client),
  }
}
