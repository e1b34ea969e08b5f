/** Chooses that many items, evenly spread over the list; all of them where there are no more. */
export function sampleOf<T>(items: readonly T[], count: number): readonly T[] {
  if (count >= items.length) return items
  return Array.from({ length: count }, (_, index) => items[Math.floor((index * items.length) / count)] as T)
}
