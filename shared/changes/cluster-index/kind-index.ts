import type { ApiObject, Resource } from '../../kubernetes/index.ts'
import type { Change } from '../key-queue/change.ts'
import { formFault, type MalformedObject, type ObjectKey, objectKey } from '../selection/object-form.ts'

/** An index of one kind of objects: a watch feeds it, and it returns the keys that each object concerns. */
export interface KindIndex<T> {
  /** Notes that a whole list begins. */
  listing(): void
  /** Takes an object that is new or changed. */
  put(object: T): Change[]
  remove(object: T): Change[]
  /** Notes that the list is complete, as of this version; objects that it did not name are gone. */
  listed(resourceVersion?: string): Change[]
  /** Notes that everything up to this version was delivered. */
  bookmark(resourceVersion: string): void
}

/** Operations on objects of one kind; `key` is theirs. */
export interface KindTable<T>
  extends Pick<KindIndex<T>, 'listing' | 'listed'>,
    Partial<Pick<KindIndex<T>, 'bookmark'>> {
  put(key: ObjectKey, object: T): Change[]
  remove(key: ObjectKey, object: T): Change[]
  size(): number
}

/**
 * Guards a table: an object that is not of the API's form counts as absent.
 * @param onMalformed called for each one
 */
export function createKindIndex<T extends ApiObject>(
  resource: Resource<T>,
  { put, remove, listing, listed, bookmark = () => undefined }: KindTable<T>,
  onMalformed?: (object: MalformedObject) => void,
): KindIndex<T> {
  type Act = (key: ObjectKey, object: T) => Change[]
  const keyed =
    (act: Act) =>
    (object: T): Change[] => {
      const key = objectKey(resource, object)
      return key === undefined ? [] : act(key, object)
    }
  const putObject = keyed(put)
  const removeObject = keyed(remove)
  return {
    listing,
    listed,
    bookmark,
    put(object) {
      const malformed = formFault(resource, object)
      if (malformed === undefined) return putObject(object)
      onMalformed?.(malformed)
      return removeObject(object)
    },
    remove: removeObject,
  }
}
