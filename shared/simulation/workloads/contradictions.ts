/** Options that contradict each other, with the nearest valid ones. */
export class ContradictionError extends Error {
  override readonly name = 'ContradictionError'
}
