import type { Environment } from '@marcbachmann/cel-js'

type Ordered = bigint | number | string | boolean | Date

/** The functions of Kubernetes' CEL library on lists that the evaluator lacks. */
export function registerLists(environment: Environment): void {
  environment
    .registerFunction('list.isSorted(): bool', (list: Ordered[]) =>
      list.every((item, index) => index === 0 || (list[index - 1] ?? item) <= item),
    )
    .registerFunction('list.sum(): dyn', sum)
    .registerFunction('list.min(): dyn', (list: Ordered[]) => extreme(list, 'min', (a, b) => a < b))
    .registerFunction('list.max(): dyn', (list: Ordered[]) => extreme(list, 'max', (a, b) => a > b))
    .registerFunction('list.indexOf(dyn): int', (list: unknown[], item: unknown) =>
      BigInt(list.indexOf(item)),
    )
    .registerFunction('list.lastIndexOf(dyn): int', (list: unknown[], item: unknown) =>
      BigInt(list.lastIndexOf(item)),
    )
}

function sum(list: readonly (bigint | number)[]): bigint | number {
  if (list.every((item) => typeof item === 'bigint')) return list.reduce((total, item) => total + item, 0n)
  return list.reduce<number>((total, item) => total + Number(item), 0)
}

function extreme(
  list: readonly Ordered[],
  name: string,
  isBetter: (a: Ordered, b: Ordered) => boolean,
): Ordered {
  const [first, ...rest] = list
  if (first === undefined) throw new Error(`${name} called on empty list`)
  return rest.reduce((best, item) => (isBetter(item, best) ? item : best), first)
}
