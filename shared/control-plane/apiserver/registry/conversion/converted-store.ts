import type { KubeObject } from '../../../apimachinery/objects.ts'
import type { Change } from '../../storage/change.ts'
import type { ObjectStore } from '../../storage/object-store.ts'
import type { ObjectRecord } from '../../storage/stored-object.ts'
import type { SharedStorage } from '../definition/codec.ts'
import type { EndpointStore } from '../definition/resource-definition.ts'
import { ShownObject, shownChange } from '../shown-object.ts'

/** Conversion of a stored resource to one of its versions, and back. */
type Conversion = Pick<SharedStorage, 'fromStorage' | 'toStorage'>

/** A store as one version of a resource sees it: objects are converted where they are read and written. */
export class ConvertedStore implements EndpointStore {
  readonly #store: ObjectStore
  readonly #conversion: Conversion
  // Each stored object and change is converted once, so that its JSON text is made once, too.
  readonly #objects = new WeakMap<KubeObject, KubeObject>()
  readonly #changes = new WeakMap<Change, Change>()

  constructor(store: ObjectStore, conversion: Conversion) {
    this.#store = store
    this.#conversion = conversion
  }

  get revision(): number {
    return this.#store.revision
  }

  get compacted(): number {
    return this.#store.compacted
  }

  count(resource: string): number {
    return this.#store.count(resource)
  }

  flush(): boolean {
    return this.#store.flush()
  }

  reached(revision: number, milliseconds: number): Promise<boolean> {
    return this.#store.reached(revision, milliseconds)
  }

  get(resource: string, key: string): KubeObject | undefined {
    const object = this.#store.get(resource, key)
    return object && this.#read(object)
  }

  list(resource: string, prefix: string): KubeObject[] {
    return this.#store.list(resource, prefix).map((object) => this.#read(object))
  }

  records(resource: string, prefix: string): ObjectRecord[] {
    return this.#store.records(resource, prefix).map((record) => this.#shown(record))
  }

  recordsAt(resource: string, prefix: string, revision: number): ObjectRecord[] {
    return this.#store.recordsAt(resource, prefix, revision).map((record) => this.#shown(record))
  }

  put(resource: string, key: string, object: KubeObject): KubeObject {
    return this.#read(this.#store.put(resource, key, this.#conversion.toStorage(object)))
  }

  remove(resource: string, key: string, last: KubeObject): KubeObject {
    return this.#read(this.#store.remove(resource, key, this.#conversion.toStorage(last)))
  }

  changesSince(resource: string, revision: number): Change[] {
    return this.#store.changesSince(resource, revision).map((change) => this.#convert(change))
  }

  subscribe(resource: string, listener: (change: Change) => void): () => void {
    return this.#store.subscribe(resource, (change) => listener(this.#convert(change)))
  }

  #shown({ key, object }: ObjectRecord): ObjectRecord {
    return new ShownObject(key, this.#read(object))
  }

  #read(object: KubeObject): KubeObject {
    const known = this.#objects.get(object)
    if (known) return known
    const converted = this.#conversion.fromStorage(object)
    this.#objects.set(object, converted)
    return converted
  }

  #convert(change: Change): Change {
    const known = this.#changes.get(change)
    if (known) return known
    const { previous } = change
    const converted = shownChange(change, this.#read(change.object), previous && this.#read(previous))
    this.#changes.set(change, converted)
    return converted
  }
}
