import { type Change, type ClusterIndex, keyFields, SOURCES } from '../../../shared/changes/index.ts'

interface OutsideWatchOptions {
  readonly cluster: string
  readonly index: ClusterIndex
  readonly signal: AbortSignal
  /** @param about the source whose endpoints may have changed */
  changed(changes: readonly Change[], about: string): void
}

/** Watches what sources of endpoints depend on that is in no cluster, for the Services of this one. */
export function watchOutside({ cluster, index, signal, changed }: OutsideWatchOptions): void {
  for (const source of SOURCES)
    source.watch?.(
      {
        list: () => index.asking(source),
        changed(services) {
          const keys = services.map((service) => keyFields({ cluster, ...service }))
          if (keys.length > 0) changed(keys, source.name)
        },
      },
      signal,
    )
}
