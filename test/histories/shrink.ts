import { type Outcome, playHistory, type Round, type Step } from './history.ts'
import type { Scene } from './world.ts'

interface ShrinkOptions {
  /** Time for it. */
  readonly minutes: number
  readonly report?: (line: string) => void
}

/**
 * Searches for a shorter history that fails as well. It plays the history without some of its steps: first
 * without halves, then without smaller parts. Each step has draws of its own, so the others mostly stay what
 * they are.
 * @returns the shortest failed history; the given one if none is shorter
 */
export async function shrink(
  scene: Scene,
  failed: Outcome,
  { minutes, report = () => {} }: ShrinkOptions,
): Promise<Outcome> {
  const end = performance.now() + minutes * 60_000
  let shortest = failed
  let parts = 2
  const failureOf = async (candidates: Iterable<readonly Round[]>): Promise<Outcome | undefined> => {
    for (const rounds of candidates) {
      if (performance.now() > end) return undefined
      const outcome = await playHistory(scene, rounds)
      if (outcome.late.length > 0) return outcome
    }
    return undefined
  }
  while (performance.now() < end) {
    const steps = shortest.rounds.flat()
    const size = Math.ceil(steps.length / parts)
    const shorter = await failureOf(withoutParts(shortest.rounds, steps, size))
    if (shorter !== undefined) {
      shortest = shorter
      report(`fails with ${shortest.rounds.flat().length} steps as well`)
    } else if (size <= 1) break
    else parts *= 2
  }
  return shortest
}

/** Makes the histories that lack `size` steps in a row, the first ones first. */
function* withoutParts(rounds: readonly Round[], steps: readonly Step[], size: number): Generator<Round[]> {
  for (let start = 0; start < steps.length; start += size) {
    const left = new Set(steps.slice(start, start + size).map(({ number }) => number))
    const some = rounds.map((round) => round.filter(({ number }) => !left.has(number)))
    yield some.filter((round) => round.length > 0)
  }
}
