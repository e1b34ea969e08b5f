import type { JsonValue } from '../json.ts'

/** What tells two elements of a list apart: the value of the merge key, or the element itself. */
export type Identify = (element: JsonValue) => JsonValue | undefined

/**
 * Orders the elements of a merged list: those that the patch names in its order, the others in the order they had; where both lists know
 * two elements, the former order of the two decides which of the lists goes on first.
 */
export function orderElements(
  merged: readonly JsonValue[],
  wanted: readonly JsonValue[],
  former: readonly JsonValue[],
  identify: Identify,
): JsonValue[] {
  const wantedAt = positions(wanted, identify)
  const formerAt = positions(former, identify)
  const place = (element: JsonValue, at: Map<string, number>): number =>
    at.get(keyOf(element, identify)) ?? -1
  const named = merged
    .filter((element) => place(element, wantedAt) >= 0)
    .sort((a, b) => place(a, wantedAt) - place(b, wantedAt))
  const others = merged.filter((element) => place(element, wantedAt) < 0)
  const out: JsonValue[] = []
  while (named.length > 0 || others.length > 0) {
    const [left, right] = [named[0], others[0]]
    const leftAt = left === undefined ? -1 : place(left, formerAt)
    const rightAt = right === undefined ? -1 : place(right, formerAt)
    const takeOther =
      left === undefined || (right !== undefined && leftAt >= 0 && rightAt >= 0 && rightAt < leftAt)
    const next = takeOther ? others.shift() : named.shift()
    if (next !== undefined) out.push(next)
  }
  return out
}

function keyOf(element: JsonValue, identify: Identify): string {
  return JSON.stringify(identify(element) ?? null)
}

function positions(elements: readonly JsonValue[], identify: Identify): Map<string, number> {
  return new Map(elements.map((element, index) => [keyOf(element, identify), index]))
}
