import {
  type ApiObject,
  apiVersionOf,
  createObjectTable,
  type ObjectTable,
  type Resource,
  type WatchHandler,
} from '../../kubernetes/index.ts'
import type { ObjectEvent } from '../engine/index.ts'

/**
 * Makes the handlers of the watches of a kind, one after the other. They turn lists and watch events into
 * events: what a later list no longer names is deleted.
 */
export function createWatchedEvents(
  deliver: (events: ObjectEvent[]) => void,
  onListed: () => void,
): (resource: Resource) => WatchHandler<ApiObject> {
  const known = createObjectTable<ApiObject>()
  return (resource) => handlerOf(resource, known, { deliver, onListed })
}

function handlerOf(
  resource: Resource,
  known: ObjectTable<ApiObject>,
  { deliver, onListed }: { deliver: (events: ObjectEvent[]) => void; onListed: () => void },
): WatchHandler<ApiObject> {
  const keyOf = ({ metadata }: ApiObject): string => `${metadata?.namespace ?? ''}/${metadata?.name}`
  // Objects of a list come without these two.
  const typed = (object: ApiObject): ApiObject => ({
    ...object,
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
  })
  const changed = (object: ApiObject): void => {
    known.set(keyOf(object), object)
    deliver([{ type: 'Upserted', object: typed(object) }])
  }
  const deliverDeleted = (object: ApiObject): void => deliver([{ type: 'Deleted', object: typed(object) }])
  const deleted = (object: ApiObject): void => {
    if (known.get(keyOf(object)) === undefined) return
    known.delete(keyOf(object))
    deliverDeleted(object)
  }
  return {
    listing: known.listing,
    object: changed,
    listed: () => {
      for (const [, object] of known.listed()) deliverDeleted(object)
      onListed()
    },
    changed,
    deleted,
  }
}
