import { type JsonValue, jsonText } from '../../apimachinery/json/exact-numbers.ts'

/** Identifies an element of a list: by the value of the merge key, or by the element itself. */
export type Identify = (element: JsonValue) => JsonValue | undefined

/**
 * Orders the elements of a merged list: those that the patch names in its order, the others in the order they
 * had; where both lists know two elements, the former order of the two decides which of the lists goes on
 * first.
 */
export function orderElements(
  merged: readonly JsonValue[],
  wanted: readonly JsonValue[],
  former: readonly JsonValue[],
  identify: Identify,
): JsonValue[] {
  const wantedAt = positions(wanted, identify)
  const formerAt = positions(former, identify)
  const elements = merged.map((element) => {
    const key = keyOf(element, identify)
    return { element, wanted: wantedAt.get(key) ?? -1, former: formerAt.get(key) ?? -1 }
  })
  const named = elements.filter(({ wanted }) => wanted >= 0).sort((a, b) => a.wanted - b.wanted)
  const others = elements.filter(({ wanted }) => wanted < 0)
  const out: JsonValue[] = []
  let next = 0
  for (const other of others) {
    for (; next < named.length; next++) {
      const candidate = named[next]
      if (candidate === undefined || isBefore(other.former, candidate.former)) break
      out.push(candidate.element)
    }
    out.push(other.element)
  }
  return [...out, ...named.slice(next).map(({ element }) => element)]
}

/** Reports whether a place in the former list is before another; false if one is new. */
const isBefore = (place: number, other: number): boolean => place >= 0 && other >= 0 && place < other

function keyOf(element: JsonValue, identify: Identify): string {
  return jsonText(identify(element) ?? null)
}

function positions(elements: readonly JsonValue[], identify: Identify): Map<string, number> {
  return new Map(elements.map((element, index) => [keyOf(element, identify), index]))
}
