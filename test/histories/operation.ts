import type { Random } from '../support/random.ts'
import { type Place, placeOf, textOf, type View } from './objects.ts'
import type { HistoryCluster, World } from './world.ts'

/** Surroundings of an operation at the moment that it is done. */
export interface Occasion {
  readonly world: World
  readonly cluster: HistoryCluster
  readonly view: View
  readonly random: Random
  /** Number of the step, unique in its history. */
  readonly number: number
}

/** One thing that can happen to one of its targets. */
export interface Operation<Target = unknown> {
  readonly name: string
  /** Relative frequency with which it is drawn. */
  readonly weight: number
  /** True if a process, a server or a connection starts again, which takes longer. */
  readonly startsAnew?: boolean
  /** Lists what it can be done to at this moment: its precondition. */
  targets(occasion: Occasion): readonly Target[]
  /** Does it: its effect. Resolves to a text of what was done. */
  act(target: Target, occasion: Occasion): Promise<string>
}

/** Joins `targets` and `act` of one type. */
export const operation = <Target>(one: Operation<Target>): Operation => ({
  ...one,
  act: (target, occasion) => one.act(target as Target, occasion),
})

type Placed = Place | Parameters<typeof placeOf>[0]

/** Makes an operation on an object, or on a place. @param act resolves to what is shown beside its place */
export const onObject = <One extends Placed>(
  name: string,
  weight: number,
  targets: (occasion: Occasion) => readonly One[],
  act: (place: Place, occasion: Occasion, one: One) => Promise<unknown>,
): Operation =>
  operation({
    ...{ name, weight, targets },
    async act(one, occasion) {
      const placed: Placed = one
      const place = 'name' in placed ? placed : placeOf(placed)
      const reported = await act(place, occasion, one)
      return typeof reported === 'string' ? `${textOf(place)} ${reported}` : textOf(place)
    },
  })
