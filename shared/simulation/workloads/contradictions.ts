/**
 * Options that contradict each other, with the nearest valid ones.
 * @example
 * ```ts
 * try {
 *   rollingWorkload({ services: 1, endpoints: 20, nodes: 2 }, { surge: 0, unavailable: 0, seed: 1 })
 * } catch (error) {
 *   if (!(error instanceof ContradictionError)) throw error
 * }
 * ```
 */
export class ContradictionError extends Error {
  override readonly name = 'ContradictionError'
}
