import type { Change } from '../change.ts'
import {
  formFault,
  type MalformedObject,
  type ObjectKey,
  objectKey,
  type WatchedKind,
  type WatchedObjects,
} from '../object-form.ts'

/** What a watch tells of one kind of objects goes in; the keys that it concerns come out. */
export interface KindIndex<T> {
  /** A whole list begins. */
  listing(): void
  /** The object is new or changed. */
  put(object: T): Change[]
  remove(object: T): Change[]
  /** The list is complete, as of this version; what it did not name is gone. */
  listed(resourceVersion?: string): Change[]
  /** Everything up to this version has been told. */
  bookmark(resourceVersion: string): void
}

/** What is done with objects of one kind; `key` is theirs. */
export interface KindTable<T>
  extends Pick<KindIndex<T>, 'listing' | 'listed'>,
    Partial<Pick<KindIndex<T>, 'bookmark'>> {
  put(key: ObjectKey, object: T): Change[]
  remove(key: ObjectKey, object: T): Change[]
}

/**
 * Guards a table: an object that is not of the API's form counts as absent.
 * @param onMalformed told of each one
 */
export function createKindIndex<Kind extends WatchedKind, T extends WatchedObjects[Kind]>(
  kind: Kind,
  { put, remove, bookmark = () => undefined, ...lists }: KindTable<WatchedObjects[Kind]>,
  onMalformed?: (object: MalformedObject) => void,
): KindIndex<T> {
  type Act = (key: ObjectKey, object: T) => Change[]
  const keyed =
    (act: Act) =>
    (object: T): Change[] => {
      const key = objectKey(kind, object)
      return key === undefined ? [] : act(key, object)
    }
  const putObject = keyed(put)
  const removeObject = keyed(remove)
  return {
    ...lists,
    bookmark,
    put(object) {
      const malformed = formFault(kind, object)
      if (malformed === undefined) return putObject(object)
      onMalformed?.(malformed)
      return removeObject(object)
    },
    remove: removeObject,
  }
}
