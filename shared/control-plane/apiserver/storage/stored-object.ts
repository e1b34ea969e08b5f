import { mayLoseDigits, parseJson } from '../../apimachinery/json/exact-numbers.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'

/** An object with its JSON text, of which either is made on demand. */
export interface ObjectRecord {
  /** `namespace/name`, or `name` where there are no namespaces. */
  readonly key: string
  readonly object: KubeObject
  readonly json: string
}

/**
 * An object as the store keeps it: as its text, which takes a fraction of the memory of the object. All who
 * hold the object at the same time hold the same one, so that identity shows whether it has been written
 * since.
 */
export class StoredObject implements ObjectRecord {
  readonly key: string
  readonly json: string
  #object: WeakRef<KubeObject> | undefined

  /** @param object the parsed text, where it is known already */
  constructor(key: string, json: string, object?: KubeObject) {
    this.key = key
    this.json = json
    // A float of many digits comes back from its text as an integer: what the object is must not depend on
    // who still holds it.
    this.#object = object && !mayLoseDigits(json) ? new WeakRef(object) : undefined
  }

  get object(): KubeObject {
    const known = this.#object?.deref()
    if (known) return known
    const object = parseJson<KubeObject>(this.json)
    this.#object = new WeakRef(object)
    return object
  }
}
