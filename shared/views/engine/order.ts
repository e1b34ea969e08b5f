import type { ControllerSpec, GroupKind } from '../spec/index.ts'

export const groupKindText = ({ group, kind }: GroupKind): string => `${group}/${kind}`

/**
 * Places of the controllers such that one that writes a view comes before all that read it, where that is possible;
 * otherwise in the order of the spec.
 */
export function settlingOrder(controllers: readonly ControllerSpec[]): number[] {
  const open = new Set(controllers.keys())
  const order: number[] = []
  while (open.size > 0) {
    const ready = [...open].find((number) => !readsFromAny(controllers, number, open)) ?? Math.min(...open)
    open.delete(ready)
    order.push(ready)
  }
  const places: number[] = []
  for (const [place, number] of order.entries()) places[number] = place
  return places
}

function readsFromAny(
  controllers: readonly ControllerSpec[],
  number: number,
  open: ReadonlySet<number>,
): boolean {
  const read = new Set(controllers[number]?.sources.map(groupKindText))
  return controllers.some(
    ({ target }, writer) => open.has(writer) && writer !== number && read.has(groupKindText(target)),
  )
}
