import type { KubeObject } from '../../apimachinery/objects.ts'
import type { Change } from '../storage/change.ts'
import type { ObjectRecord } from '../storage/stored-object.ts'
import type { ExternalConversion } from './definition/codec.ts'
import { ShownObject, shownChange } from './shown-object.ts'

/**
 * Objects of one version of a resource that something outside converts. Lists and watches share what was
 * converted once. A read of a single object has it converted again, as on kube-apiserver, whose cache is for
 * lists and watches alone.
 */
export class ConvertedObjects {
  readonly #conversion: ExternalConversion
  // What fails is forgotten: the next reader asks again.
  readonly #objects = new WeakMap<KubeObject, Promise<KubeObject>>()
  readonly #changes = new WeakMap<Change, Promise<Change>>()
  /** Keeps a record's object, and with it what it was converted to, for as long as there is the record. */
  readonly #kept = new WeakMap<ObjectRecord, KubeObject>()

  constructor(conversion: ExternalConversion) {
    this.#conversion = conversion
  }

  readonly read = async (stored: KubeObject): Promise<KubeObject> => {
    const [object] = await this.#conversion.fromStorage([stored])
    return object ?? stored
  }

  /** Reads an object as lists show it. */
  readonly readOnce = async (stored: KubeObject): Promise<KubeObject> => {
    const [object] = await this.readAll([stored])
    return object ?? stored
  }

  /** Converts an object that is not stored to another version, in which its owners of fields are compared. */
  readonly convert = async (object: KubeObject, apiVersion: string): Promise<KubeObject> =>
    await this.#conversion.convert(object, apiVersion)

  async write(object: KubeObject): Promise<KubeObject> {
    return await this.#conversion.toStorage(object)
  }

  /** Reads objects in the stored ones' order; those that are not converted yet are converted together. */
  async readAll(stored: readonly KubeObject[]): Promise<KubeObject[]> {
    const missing = stored.filter((object) => !this.#objects.has(object))
    if (missing.length > 0) this.#begin(missing)
    return await Promise.all(stored.map((object) => this.#known(object)))
  }

  /** Reads records as `readAll` does. */
  async readRecords(stored: readonly ObjectRecord[]): Promise<ObjectRecord[]> {
    const objects = await this.readAll(
      stored.map((record) => {
        const { object } = record
        this.#kept.set(record, object)
        return object
      }),
    )
    return stored.map((record, index) => new ShownObject(record.key, objects[index] ?? record.object))
  }

  /** Returns the change with its objects converted, once for all watchers. */
  readChange(change: Change): Promise<Change> {
    const known = this.#changes.get(change)
    if (known !== undefined) return known
    const { object, previous } = change
    const converted = this.readAll(previous ? [previous, object] : [object]).then((objects): Change => {
      const [before, after] = previous ? objects : [undefined, ...objects]
      return shownChange(change, after ?? object, before)
    })
    this.#changes.set(change, converted)
    converted.catch(() => this.#changes.delete(change))
    return converted
  }

  #begin(missing: readonly KubeObject[]): void {
    const all = this.#conversion.fromStorage(missing)
    for (const [index, stored] of missing.entries()) {
      const one = all.then((objects) => objects[index] ?? stored)
      this.#objects.set(stored, one)
      one.catch(() => this.#objects.delete(stored))
    }
  }

  #known(stored: KubeObject): Promise<KubeObject> | KubeObject {
    return this.#objects.get(stored) ?? stored
  }
}
