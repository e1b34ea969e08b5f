/**
 * Milliseconds from changes of pods to the slices, or keys, that show them, where each Service has one pod.
 * Different processes report changes and what is shown, so the latter may be reported first.
 */
export interface ChangeRecord {
  /** @param service its name, unlike that of any other @param at milliseconds since 1970 */
  changed(service: string, at: number, ready: boolean): void
  shown(service: string, at: number, ready: boolean): void
  readonly latencies: readonly number[]
  /** Changes that no slice has shown yet. */
  readonly open: number
}

interface State {
  readonly at: number
  readonly ready: boolean
}

export function createChangeRecord(): ChangeRecord {
  const open = new Map<string, readonly State[]>()
  const lastShown = new Map<string, State>()
  const latencies: number[] = []

  /** Settles the changes that a slice shows. One that shows the last state has shown what came before it. */
  function settle(service: string): void {
    const changes = open.get(service) ?? []
    const shown = lastShown.get(service)
    if (shown === undefined) return
    const last = changes.findLastIndex(({ at, ready }) => at <= shown.at && ready === shown.ready)
    for (const { at } of changes.slice(0, last + 1)) latencies.push(shown.at - at)
    open.set(service, changes.slice(last + 1))
  }

  return {
    changed(service, at, ready) {
      open.set(service, [...(open.get(service) ?? []), { at, ready }])
      settle(service)
    },
    shown(service, at, ready) {
      lastShown.set(service, { at, ready })
      settle(service)
    },
    latencies,
    get open() {
      return [...open.values()].reduce((sum, { length }) => sum + length, 0)
    },
  }
}
