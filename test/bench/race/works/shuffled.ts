import type { Random } from '../../../support/random.ts'

/** Fisher and Yates' shuffle: every order is as likely. */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const left = [...items]
  const order: T[] = []
  while (left.length > 0) order.push(...left.splice(random.below(left.length), 1))
  return order
}
