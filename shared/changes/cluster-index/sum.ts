export function sum<T>(items: Iterable<T>, numberOf: (item: T) => number): number {
  let total = 0
  for (const item of items) total += numberOf(item)
  return total
}
