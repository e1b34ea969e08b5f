/**
 * Spreads work over time: told how many pieces are next, it returns for how many milliseconds to wait before
 * them. The first ones do not wait, and time that was not used is not made up for.
 * @param now milliseconds of a clock that never goes back
 */
export function createPace(
  piecesPerSecond: number,
  now = () => performance.now(),
): (pieces: number) => number {
  let dueAt = now()
  return (pieces) => {
    const waitMs = Math.max(0, dueAt - now())
    dueAt = Math.max(dueAt, now()) + (pieces * 1000) / piecesPerSecond
    return waitMs
  }
}
