import type { ControllerSpec, GroupKind } from '../spec/index.ts'

export const groupKindText = ({ group, kind }: GroupKind): string => `${group}/${kind}`

/**
 * Orders the controllers, by their places in the spec. One that writes a view comes before all that read it,
 * and one that makes objects before all that patch them. Where that is impossible, the order is that of the
 * spec.
 */
export function settlingOrder(controllers: readonly ControllerSpec[]): number[] {
  const open = new Set(controllers.keys())
  const order: number[] = []
  while (open.size > 0) {
    const ready = [...open].find((number) => !followsAny(controllers, number, open)) ?? Math.min(...open)
    open.delete(ready)
    order.push(ready)
  }
  const places: number[] = []
  for (const [place, number] of order.entries()) places[number] = place
  return places
}

function followsAny(
  controllers: readonly ControllerSpec[],
  number: number,
  open: ReadonlySet<number>,
): boolean {
  const follower = controllers[number]
  return controllers.some(
    (writer, other) =>
      open.has(other) && other !== number && follower !== undefined && follows(follower, writer),
  )
}

function follows({ sources, target }: ControllerSpec, writer: ControllerSpec): boolean {
  const written = groupKindText(writer.target)
  if (sources.some((source) => groupKindText(source) === written)) return true
  const patches = target.type === 'Patcher' && writer.target.type === 'Updater'
  return patches && groupKindText(target) === written
}
