import type { JsonObject } from '../../json/index.ts'
import { type CompiledJoin, type JoinKey, joinKeyText, type SourceObject } from '../../pipeline/index.ts'

/** The objects of one source by the texts of some of their values; without any values: all of them. */
class SourceIndex {
  readonly #keys: readonly JoinKey[]
  readonly #objects = new Map<string, Map<string, SourceObject>>()

  constructor(keys: readonly JoinKey[]) {
    this.#keys = keys
  }

  set(key: string, object: JsonObject): void {
    const text = this.#textOf(object)
    if (text === undefined) return
    const found = this.#objects.get(text)
    if (found === undefined) this.#objects.set(text, new Map([[key, { key, object }]]))
    else found.set(key, { key, object })
  }

  delete(key: string, object: JsonObject): void {
    const text = this.#textOf(object)
    const found = text === undefined ? undefined : this.#objects.get(text)
    found?.delete(key)
    if (text !== undefined && found?.size === 0) this.#objects.delete(text)
  }

  find(texts: readonly (string | undefined)[]): Iterable<SourceObject> {
    const text = textOf(texts)
    return (text === undefined ? undefined : this.#objects.get(text)?.values()) ?? []
  }

  #textOf(object: JsonObject): string | undefined {
    return textOf(this.#keys.map(({ path }) => joinKeyText(path, object)))
  }
}

/** Joins texts into one, so that no two lists of texts give the same. */
function textOf(texts: readonly (string | undefined)[]): string | undefined {
  if (texts.length === 1) return texts[0]
  return texts.includes(undefined) ? undefined : JSON.stringify(texts)
}

/** One step of the search for the partners of an object: a source, and what is known by then. */
interface LookupStep {
  readonly source: number
  /** Keys of the objects chosen before, which must be equal to this source's. */
  readonly chosen: readonly JoinKey[]
  readonly index: SourceIndex
}

/** Combines an object with those of all other sources, by hash where the condition allows it. */
export class JoinIndex {
  readonly #objects: Map<string, JsonObject>[]
  readonly #indexes: Map<string, SourceIndex>[]
  /** Steps by the source from which the search starts. */
  readonly #plans: readonly (readonly LookupStep[])[]

  constructor(join: CompiledJoin) {
    this.#objects = join.kinds.map(() => new Map())
    this.#indexes = join.kinds.map(() => new Map())
    this.#plans = join.kinds.map((_, source) => this.#plan(join, source))
  }

  get(source: number, key: string): JsonObject | undefined {
    return this.#objects[source]?.get(key)
  }

  set(source: number, key: string, object: JsonObject | undefined): void {
    const objects = this.#objects[source]
    const indexes = this.#indexes[source]?.values().toArray() ?? []
    const old = objects?.get(key)
    if (old !== undefined) for (const index of indexes) index.delete(key, old)
    if (object === undefined) objects?.delete(key)
    else {
      objects?.set(key, object)
      for (const index of indexes) index.set(key, object)
    }
  }

  /** Finds every combination, in the order of the sources, in which this object stands. */
  combinations(source: number, object: SourceObject): SourceObject[][] {
    const chosen: SourceObject[] = []
    chosen[source] = object
    const found: SourceObject[][] = []
    extend(this.#plans[source] ?? [], 0, chosen, found)
    return found
  }

  /** Plans the search: the next source shares an equality with those already chosen, if any does. */
  #plan({ kinds, equalities }: CompiledJoin, start: number): LookupStep[] {
    const chosen = new Set([start])
    const steps: LookupStep[] = []
    const open = new Set(kinds.keys())
    open.delete(start)
    while (open.size > 0) {
      const candidates = [...open].map((source) => ({
        source,
        keys: keysBetween(equalities, chosen, source),
      }))
      const [best] = candidates.toSorted((a, b) => b.keys.length - a.keys.length)
      if (best === undefined) break
      const own = best.keys.map(({ own }) => own)
      const index = this.#indexOn(best.source, own)
      steps.push({ source: best.source, chosen: best.keys.map(({ other }) => other), index })
      chosen.add(best.source)
      open.delete(best.source)
    }
    return steps
  }

  #indexOn(source: number, keys: readonly JoinKey[]): SourceIndex {
    const indexes = this.#indexes[source] ?? new Map<string, SourceIndex>()
    const name = JSON.stringify(keys)
    const index = indexes.get(name) ?? new SourceIndex(keys)
    indexes.set(name, index)
    return index
  }
}

function extend(
  plan: readonly LookupStep[],
  at: number,
  chosen: SourceObject[],
  found: SourceObject[][],
): void {
  const step = plan[at]
  if (step === undefined) {
    found.push([...chosen])
    return
  }
  const texts = step.chosen.map(({ source, path }) => {
    const partner = chosen[source]
    return partner && joinKeyText(path, partner.object)
  })
  for (const candidate of step.index.find(texts)) {
    chosen[step.source] = candidate
    extend(plan, at + 1, chosen, found)
  }
}

/** Selects the equalities between a source and those chosen before it. */
function keysBetween(
  equalities: CompiledJoin['equalities'],
  chosen: ReadonlySet<number>,
  source: number,
): { own: JoinKey; other: JoinKey }[] {
  return equalities.flatMap(([left, right]) => {
    if (left.source === source && chosen.has(right.source)) return [{ own: left, other: right }]
    return right.source === source && chosen.has(left.source) ? [{ own: right, other: left }] : []
  })
}
