import { equal, type JsonObject } from '../json/index.ts'
import { patched, unpatched, updated } from './merge.ts'
import type { TargetChange } from './state/index.ts'

interface Entry {
  object: JsonObject
  /** Object that each Updater gives, by the controller's number. */
  readonly given: Map<number, JsonObject>
}

/** An object before and after a change. */
export interface StoreChange {
  readonly old: JsonObject | undefined
  readonly object: JsonObject | undefined
}

/** The objects of one view. */
export class ViewStore {
  readonly #entries = new Map<string, Entry>()

  get(key: string): JsonObject | undefined {
    return this.#entries.get(key)?.object
  }

  objects(): JsonObject[] {
    return [...this.#entries.values()].map(({ object }) => object)
  }

  /**
   * Takes what an Updater gives. An object exists as long as an Updater gives it. If several do, it is as the
   * last of them says, in the order of the spec.
   */
  update(controller: number, { key, object }: TargetChange): StoreChange {
    const entry = this.#entries.get(key)
    const given = entry?.given ?? new Map<number, JsonObject>()
    const before = lastOf(given)
    if (object === undefined) given.delete(controller)
    else given.set(controller, object)
    const old = entry?.object
    const wanted = lastOf(given)
    // Writing again what another one gave before would undo patches.
    if (wanted === before) return { old, object: old }
    if (wanted === undefined) this.#entries.delete(key)
    const now = wanted && (old === undefined ? wanted : updated(old, wanted))
    if (now !== undefined) this.#entries.set(key, { given, object: now })
    return changeOf(old, now)
  }

  /** Patches an object. Returns undefined if there is nothing to patch. */
  patch({ key, old, object }: TargetChange): StoreChange | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    const stored = entry.object
    if (object !== undefined) entry.object = patched(stored, object)
    else if (old !== undefined) entry.object = unpatched(stored, old)
    return changeOf(stored, entry.object)
  }
}

const lastOf = (given: ReadonlyMap<number, JsonObject>): JsonObject | undefined =>
  given.get(Math.max(...given.keys()))

const changeOf = (old: JsonObject | undefined, now: JsonObject | undefined): StoreChange =>
  equal(old, now) ? { old, object: old } : { old, object: now }
