import {
  type ApiClient,
  type ApiObject,
  ENDPOINT_SLICES,
  PODS,
  type Resource,
  runWatcher,
  SERVICES,
  type WatchHandler,
} from '../../shared/kubernetes/index.ts'
import { makeNode, type SelectionMode } from '../support/world/index.ts'
import type { MachineTime } from './machine-time.ts'
import { publishedEndpoints, wantedEndpoints } from './published.ts'
import { STORY_NODES } from './story.ts'

/** Time for which an endpoint of a live pod was not published, by the machine's clock. */
export interface Absence {
  readonly endpoint: string
  readonly from: number
  readonly to: number
}

/** Watches the API server itself, undisturbed, for endpoints of live pods that are missing. */
export interface Absences {
  /** Lists and watches everything, again where it did before; resolves when it is listed. */
  watch(): Promise<void>
  follow(namespace: string, mode: SelectionMode): void
  /**
   * Returns the absences that are over, and those that go on as if they ended now. The namespace is followed
   * no longer.
   */
  take(namespace: string): readonly Absence[]
  stop(): void
}

interface AbsencesOptions {
  readonly client: ApiClient
  /** Manager of the slices that count. */
  readonly managedBy: string
  readonly time: MachineTime
}

interface Followed {
  readonly mode: SelectionMode
  readonly over: Absence[]
  readonly since: Map<string, number>
}

/** Milliseconds after which the watches of all kinds have delivered what happened at once. */
const JUDGE_EVERY_MS = 50
const NODES = STORY_NODES.map(makeNode)

export function watchAbsences({ client, managedBy, time }: AbsencesOptions): Absences {
  const followed = new Map<string, Followed>()
  const changed = new Set<string>()
  const services = keep(SERVICES)
  const pods = keep(PODS)
  const slices = keep(ENDPOINT_SLICES)
  const all = [services, pods, slices]
  const timer = setInterval(judgeChanged, JUDGE_EVERY_MS)
  let watching = new AbortController()

  /** Keeps the objects of a kind, by namespace and name. */
  function keep<T extends ApiObject>(resource: Resource<T>) {
    const objects = new Map<string, Map<string, T>>()
    const put = (object: T): void => {
      const { namespace = '', name = '' } = object.metadata ?? {}
      const own = objects.get(namespace) ?? new Map<string, T>()
      objects.set(namespace, own.set(name, object))
      changed.add(namespace)
    }
    return {
      in: (namespace: string): T[] => [...(objects.get(namespace)?.values() ?? [])],
      /** Resolves when everything was listed. */
      watch: (signal: AbortSignal): Promise<void> =>
        new Promise((resolve) => {
          const handler: WatchHandler<T> = {
            listing: () => objects.clear(),
            object: put,
            listed: () => resolve(),
            changed: put,
            deleted({ metadata: { namespace = '', name = '' } = {} }) {
              objects.get(namespace)?.delete(name)
              changed.add(namespace)
            },
          }
          void runWatcher(client, { resource, signal, handler })
        }),
    }
  }

  function judgeChanged(): void {
    for (const namespace of changed) judge(namespace)
    changed.clear()
  }

  function judge(namespace: string): void {
    const one = followed.get(namespace)
    if (one === undefined) return
    const now = time.now()
    const published = publishedEndpoints(slices.in(namespace))
    const objects = { pods: pods.in(namespace), nodes: NODES }
    const wanted = wantedEndpoints(services.in(namespace), objects, { mode: one.mode, managedBy })
    const missing = wanted.difference(published)
    for (const [endpoint, from] of one.since) {
      if (missing.has(endpoint)) continue
      one.since.delete(endpoint)
      one.over.push({ endpoint, from, to: now })
    }
    for (const endpoint of missing) if (!one.since.has(endpoint)) one.since.set(endpoint, now)
  }

  return {
    async watch() {
      watching.abort()
      watching = new AbortController()
      const { signal } = watching
      await Promise.all(all.map((kind) => kind.watch(signal)))
    },
    follow(namespace, mode) {
      followed.set(namespace, { mode, over: [], since: new Map() })
    },
    take(namespace) {
      const one = followed.get(namespace)
      followed.delete(namespace)
      const to = time.now()
      const lasting = [...(one?.since ?? [])].map(([endpoint, from]) => ({ endpoint, from, to }))
      return [...(one?.over ?? []), ...lasting]
    },
    stop() {
      clearInterval(timer)
      watching.abort()
    },
  }
}
