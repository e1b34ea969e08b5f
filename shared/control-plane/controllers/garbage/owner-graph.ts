import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { objectsAt, stringAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { ServedResource } from '../client/controller-client.ts'

/** Identity of an object. Its uid distinguishes it from a later one of the same name. */
export interface ObjectId {
  readonly resource: ServedResource
  /** Empty for cluster-scoped objects. */
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly blockOwnerDeletion: boolean
}

export const ownersOf = ({ metadata }: KubeObject): OwnerReference[] =>
  objectsAt(metadata, 'ownerReferences').map((reference: JsonObject) => ({
    apiVersion: stringAt(reference, 'apiVersion'),
    kind: stringAt(reference, 'kind'),
    name: stringAt(reference, 'name'),
    uid: stringAt(reference, 'uid'),
    blockOwnerDeletion: reference.blockOwnerDeletion === true,
  }))

export const idOf = (resource: ServedResource, { metadata }: KubeObject): ObjectId => ({
  resource,
  namespace: metadata.namespace ?? '',
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
})

/** Dependents of each owner, by uid. */
export class OwnerGraph {
  readonly #owners = new Map<string, readonly string[]>()
  readonly #dependents = new Map<string, Map<string, ObjectId>>()

  /** Notes the owners that an object has now. */
  put(id: ObjectId, owners: readonly OwnerReference[]): void {
    this.remove(id.uid)
    if (owners.length === 0) return
    this.#owners.set(
      id.uid,
      owners.map(({ uid }) => uid),
    )
    for (const { uid } of owners) {
      const dependents = this.#dependents.get(uid) ?? new Map<string, ObjectId>()
      this.#dependents.set(uid, dependents.set(id.uid, id))
    }
  }

  remove(uid: string): void {
    for (const owner of this.#owners.get(uid) ?? []) {
      const dependents = this.#dependents.get(owner)
      dependents?.delete(uid)
      if (dependents?.size === 0) this.#dependents.delete(owner)
    }
    this.#owners.delete(uid)
  }

  dependentsOf(uid: string): ObjectId[] {
    return [...(this.#dependents.get(uid)?.values() ?? [])]
  }
}
