import type { OwnerReference } from './owner-graph.ts'

/** Number of owners to remember, which is that of upstream's garbage collector. */
const LIMIT = 500

/**
 * Owners that the server was asked for and does not have: a uid never comes back, so that their other
 * dependents need not ask again.
 */
export class AbsentOwners {
  readonly #keys = new Set<string>()

  has(owner: OwnerReference, namespace: string): boolean {
    return this.#keys.has(keyOf(owner, namespace))
  }

  add(owner: OwnerReference, namespace: string): void {
    this.#keys.add(keyOf(owner, namespace))
    const [oldest] = this.#keys
    if (this.#keys.size > LIMIT && oldest !== undefined) this.#keys.delete(oldest)
  }
}

const keyOf = ({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): string =>
  JSON.stringify([apiVersion, kind, namespace, name, uid])
