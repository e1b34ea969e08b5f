import type { ChurnOptions } from './churn.ts'
import type { RollingOptions } from './rolling.ts'
import type { ScaleOptions } from './scale.ts'

/** Options that contradict each other, with the nearest valid ones. */
export class ContradictionError extends Error {
  override readonly name = 'ContradictionError'
}

/** @throws ContradictionError */
export function checkChurn({
  meanChange,
  recovery = 30,
  noisyShare = 0,
  noisyMeanChange = 30,
}: ChurnOptions): void {
  if (recovery > meanChange) {
    throw new ContradictionError(
      `a Pod that changes every ${meanChange} s is not unready for ${recovery} s of it on average: the nearest are recovery ${meanChange}, or meanChange ${recovery}`,
    )
  }
  if (noisyShare > 0 && noisyMeanChange > meanChange) {
    throw new ContradictionError(
      `noisy Pods that change every ${noisyMeanChange} s are quieter than the others with ${meanChange} s: the nearest are noisyMeanChange ${meanChange}, or noisyShare 0`,
    )
  }
}

/** @throws ContradictionError */
export function checkRolling({ surge = 0.25, unavailable = 0.25, endpoints }: RollingOptions): void {
  if (Math.ceil(surge * endpoints) > 0 || Math.floor(unavailable * endpoints) > 0) return
  const one = Number((1 / endpoints).toPrecision(3))
  throw new ContradictionError(
    `with surge ${surge} and unavailable ${unavailable} of ${endpoints} endpoints no Pod may be more and none may be missing, so that nothing can be replaced: the nearest are surge ${one}, or unavailable ${one}, which is one Pod`,
  )
}

/** @throws ContradictionError */
export function checkScale({ factor = 2, endpoints }: ScaleOptions): void {
  if (Math.round((factor - 1) * endpoints) > 0) return
  throw new ContradictionError(
    `factor ${factor} of ${endpoints} endpoints adds no Pod: the nearest is factor ${Number((1 + 1 / endpoints).toPrecision(3))}, which adds one`,
  )
}
