import type { Random } from '../../../support/random.ts'

/** Shuffles a copy by Fisher and Yates: every order is equally likely. */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const left = [...items]
  const order: T[] = []
  while (left.length > 0) order.push(...left.splice(random.below(left.length), 1))
  return order
}
