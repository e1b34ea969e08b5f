import { type ApiObject, apiVersionOf, type Resource, type WatchHandler } from '../../kubernetes/index.ts'
import type { ObjectEvent } from '../engine/index.ts'

/** Turns lists and watch events into events: what a later list no longer names is deleted. */
export function eventsOf(
  resource: Resource,
  tell: (events: ObjectEvent[]) => void,
  onListed: () => void,
): WatchHandler<ApiObject> {
  const known = new Map<string, ApiObject>()
  let unseen = new Map<string, ApiObject>()
  const keyOf = ({ metadata }: ApiObject): string => `${metadata?.namespace ?? ''}/${metadata?.name}`
  // Objects of a list come without these two.
  const typed = (object: ApiObject): ApiObject => ({
    ...object,
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
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
