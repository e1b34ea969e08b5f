import { matchesLabels } from '../../kubernetes/index.ts'
import { labelsOf } from '../expressions/index.ts'
import { equal, isObject, type JsonObject, member } from '../json/index.ts'
import type { SourceObject } from '../pipeline/index.ts'
import type { SourceSpec } from '../spec/index.ts'
import { accepts, type Transition } from './predicate.ts'

/** The objects that a source has taken, as it took them. */
export class SourceState {
  readonly #spec: SourceSpec
  readonly #taken = new Map<string, JsonObject>()

  constructor(spec: SourceSpec) {
    this.#spec = spec
  }

  get objects(): SourceObject[] {
    return [...this.#taken].map(([key, object]) => ({ key, object }))
  }

  /** Whether anything changed for the source: then `get` tells how its object is now. */
  take(key: string, change: Transition): boolean {
    const before = this.#taken.get(key)
    const after = this.#after(before, change)
    if (after === undefined) return this.#taken.delete(key)
    if (equal(before, after)) return false
    this.#taken.set(key, after)
    return true
  }

  get(key: string): JsonObject | undefined {
    return this.#taken.get(key)
  }

  /** Whether the source is told of the deletion of an object that it was never told of. */
  misses({ old }: Transition, deleted: JsonObject): boolean {
    if (old !== undefined && this.#selects(old)) return false
    return this.#selects(deleted) && this.#accepts({ old: deleted, object: undefined })
  }

  /**
   * Leaving the selector, or the cluster, always counts: nothing may stay behind. Predicates decide on
   * changes of selected objects; an object that the selector selects only now counts as new.
   */
  #after(before: JsonObject | undefined, { old, object }: Transition): JsonObject | undefined {
    if (object === undefined || !this.#selects(object)) return undefined
    const known = old !== undefined && this.#selects(old) ? old : undefined
    return this.#accepts({ old: known, object }) ? object : before
  }

  #accepts(change: Transition): boolean {
    const { predicate } = this.#spec
    return predicate === undefined || accepts(predicate, change)
  }

  #selects(object: JsonObject): boolean {
    const { namespace, labelSelector } = this.#spec
    if (namespace === undefined && labelSelector.length === 0) return true
    const metadata = member(object, 'metadata')
    if (!isObject(metadata)) return false
    if (namespace !== undefined && member(metadata, 'namespace') !== namespace) return false
    const labels = member(metadata, 'labels')
    return matchesLabels(labelSelector, labelsOf(isObject(labels) ? labels : {}))
  }
}
