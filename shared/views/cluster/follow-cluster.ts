import { type ApiClient, type ApiObject, runWatcher, type WatchHandler } from '../../kubernetes/index.ts'
import type { ObjectEvent } from '../engine/index.ts'
import type { OperatorSpec, ResourceSpec } from '../spec/index.ts'
import { resourceOf } from './resource-of.ts'

export interface FollowOptions {
  readonly signal: AbortSignal
  /** Everything that is there at first, in one call, once all kinds were listed; then the changes as they come. */
  readonly onEvents: (events: readonly ObjectEvent[]) => void
  /** A kind cannot be followed for now; it is tried again after `retryMs`. */
  readonly onError: (error: unknown, kind: string, retryMs: number) => void
}

/** Follows the kinds of an API server that a spec reads, until the signal aborts. Never rejects. */
export async function followCluster(
  client: ApiClient,
  spec: OperatorSpec,
  options: FollowOptions,
): Promise<void> {
  const { signal, onEvents, onError } = options
  const resources = sourcesOf(spec)
  let first: ObjectEvent[] | undefined = []
  const unlisted = new Set(resources)
  const tell = (events: ObjectEvent[]): void => {
    if (first === undefined) onEvents(events)
    else first.push(...events)
  }
  const listed = (resource: ResourceSpec | undefined): void => {
    if (resource !== undefined) unlisted.delete(resource)
    if (first === undefined || unlisted.size > 0) return
    const events = first
    first = undefined
    onEvents(events)
  }
  if (resources.length === 0) listed(undefined)
  const watchers = resources.map((source) => {
    const handler: WatchHandler<ApiObject> = {
      ...eventsOf(source, tell, () => listed(source)),
      failed: (error, retryMs) => onError(error, source.kind, retryMs),
    }
    return runWatcher(client, { resource: resourceOf(source), handler, signal })
  })
  await Promise.all(watchers)
}

/** Every kind of the API once. */
function sourcesOf({ controllers }: OperatorSpec): ResourceSpec[] {
  const sources = controllers.flatMap((controller) => controller.sources)
  const followed = sources.filter(({ isView, type }) => !isView && type === 'Watcher')
  return [...new Map(followed.map((source) => [`${source.group}/${source.kind}`, source])).values()]
}

/** Turns lists and watch events into events: what a later list no longer names is deleted. */
function eventsOf(
  { group, kind, version = 'v1' }: ResourceSpec,
  tell: (events: ObjectEvent[]) => void,
  onListed: () => void,
): WatchHandler<ApiObject> {
  const known = new Map<string, ApiObject>()
  let unseen = new Map<string, ApiObject>()
  const keyOf = ({ metadata }: ApiObject): string => `${metadata?.namespace ?? ''}/${metadata?.name}`
  // Objects of a list come without these two.
  const typed = (object: ApiObject): ApiObject => ({
    ...object,
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind,
  })
  const changed = (object: ApiObject): void => {
    known.set(keyOf(object), object)
    unseen.delete(keyOf(object))
    tell([{ type: 'Upserted', object: typed(object) }])
  }
  const deleted = (object: ApiObject): void => {
    if (known.delete(keyOf(object))) tell([{ type: 'Deleted', object: typed(object) }])
  }
  return {
    listing: () => {
      unseen = new Map(known)
    },
    object: changed,
    listed: () => {
      for (const object of unseen.values()) deleted(object)
      onListed()
    },
    changed,
    deleted,
  }
}
