import { type ClusterVersions, type KeyText, keyText, type ServiceKey } from '../../changes/index.ts'
import type { ApiObject } from '../../kubernetes/index.ts'
import type { KeyMessage } from '../../queue/index.ts'
import { bytesOf, UNSEEN_WRITE_MS } from '../../reconciler/index.ts'
import { BoundedCache } from '../../values/index.ts'
import type { ExportState, ImportState } from './read-fleet.ts'
import { isCurrent } from './refresh-export.ts'

/** State after a sync, by the clusters' ids. */
export interface CachedFleet {
  readonly imports: ReadonlyMap<string, ImportState>
  readonly exports: ReadonlyMap<string, ExportState>
}

const MAX_BYTES = 24 * 2 ** 20

interface CacheEntry extends CachedFleet {
  readonly at: number
  readonly history: string | undefined
}

/**
 * Caches what syncs have read and written, so that the next one of the same Service need not read it. It
 * counts as read only while every import is as this process has left it, by the versions that the message
 * names: a later writer of one of them may have read newer exports than the cached ones. And only
 * for a message with the history that it was cached under.
 * @param now milliseconds since the epoch
 */
export function createFleetCache(now: () => number) {
  const entries = new BoundedCache<KeyText, CacheEntry>({ maxSize: MAX_BYTES })
  return {
    find(
      { fleetVersions, history, ...key }: KeyMessage,
      clusterNames: ReadonlyMap<string, string>,
    ): CachedFleet | undefined {
      const found = entries.get(keyText(key))
      if (found === undefined || fleetVersions === undefined || found.history !== history) return undefined
      const isLate = now() - found.at < UNSEEN_WRITE_MS
      const areOurs = [...found.imports].every(([id, state]) =>
        isAsLeft(state, fleetVersions[clusterNames.get(id) ?? ''] ?? {}, isLate),
      )
      return areOurs ? found : undefined
    },
    keep(key: KeyMessage, state: CachedFleet): void {
      entries.set(keyText(key), { ...state, at: now(), history: key.history }, { size: sizeOf(state) })
    },
    forget: (key: ServiceKey) => entries.delete(keyText(key)),
  }
}

/**
 * @param named the versions that the message names
 * @param isLate the relay's watches may not have delivered the last writes yet
 */
function isAsLeft(
  { import: object, derived, slices }: ImportState,
  named: ClusterVersions,
  isLate: boolean,
): boolean {
  const isKnown = (cached: ApiObject | undefined, version: string | undefined): boolean => {
    if (cached === undefined) return version === undefined
    if (cached.metadata?.resourceVersion === version) return true
    // One that is not named may be too new for the relay to know, or be gone again.
    return isLate && isCurrent(cached, version)
  }
  const versions = new Map(Object.entries(named.imported ?? {}))
  const names = new Set(slices.map(({ metadata }) => metadata?.name ?? ''))
  return (
    isKnown(object, named.import) &&
    isKnown(derived, named.derived) &&
    slices.every((slice) => isKnown(slice, versions.get(slice.metadata?.name ?? ''))) &&
    [...versions.keys()].every((name) => names.has(name))
  )
}

function sizeOf({ imports, exports }: CachedFleet): number {
  const imported = [...imports.values()].flatMap((state) => [state.import, state.derived, ...state.slices])
  const exported = [...exports.values()].flatMap((state) => [state.export, state.service, ...state.slices])
  // What an export asks to be written on imports is as large as its cluster likes.
  const maps = [...exports.values()].map(({ export: object }) => JSON.stringify(object?.spec ?? {}).length)
  return [
    ...[...imported, ...exported].map((object) => (object === undefined ? 0 : bytesOf(object))),
    ...maps,
  ].reduce((sum, bytes) => sum + bytes, 1)
}
