import { matchesLabels } from '../../../kubernetes/index.ts'
import { labelsOf } from '../../expressions/index.ts'
import { equal, isObject, type JsonObject, member } from '../../json/index.ts'
import type { SourceObject } from '../../pipeline/index.ts'
import type { SourceSpec } from '../../spec/index.ts'
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

  /** Takes a change, and reports whether it changed the source; `get` then returns the object of now. */
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

  /** Reports whether this is the deletion of an object that concerns the source but that it never saw. */
  misses({ old }: Transition, deleted: JsonObject): boolean {
    if (old !== undefined && this.#selects(old)) return false
    return this.#selects(deleted) && this.#accepts({ old: deleted, object: undefined })
  }

  /**
   * Returns what the source sees of the object after a change. An object that leaves the selector or the
   * cluster is always removed, so that nothing stays behind. Predicates decide on changes of selected
   * objects; an object that is newly selected counts as new.
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
