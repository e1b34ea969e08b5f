import { CelError } from '../errors.ts'
import type { CallNode, ComprehensionNode, Node } from '../syntax/nodes.ts'
import { CelMap, type CelValue, isList, LiteralMap } from '../values/value.ts'
import { Failure, type Frame, readSlot, type Step } from './frame.ts'
import { attempt } from './logical.ts'

/** Slots of the variables of comprehensions that are in scope. */
export type Slots = ReadonlyMap<string, number>

/** What plans the parts of a fold. */
interface Planner {
  newSlot(): number
  plan(node: Node, slots: Slots): Step
  planBranch(node: Node, slots: Slots): Step
  constantOf(node: Node): CelValue | undefined
}

const LIST_COST = 10

/** Plans a fold over a list or the keys of a map. */
export function planComprehension(planner: Planner, node: ComprehensionNode, slots: Slots): Step {
  const { variable, second, accumulator } = node
  const accu = planner.newSlot()
  const first = planner.newSlot()
  const other = planner.newSlot()
  const outer = new Map([...slots, [accumulator, accu] as const])
  const inner = new Map([...outer, [variable, first] as const])
  if (second !== undefined) inner.set(second, other)
  const range = planner.plan(node.range, slots)
  const init = planner.plan(node.init, slots)
  const condition = node.condition.kind === 'constant' ? undefined : planner.plan(node.condition, inner)
  const step = planStep(planner, node, inner, accu)
  const result = planner.plan(node.result, outer)
  return (frame) => {
    const values = range(frame)
    frame.slots[accu] = isGathering(node) ? gathered(init(frame)) : init(frame)
    for (const [key, value] of rounds(values, second !== undefined)) {
      frame.slots[first] = key
      frame.slots[other] = value
      if (condition && condition(frame) !== true) break
      frame.slots[accu] = attempt(step, frame)
      if (!condition && frame.slots[accu] instanceof Failure) break
    }
    return result(frame)
  }
}

/** Returns the values of the variables in each round. */
function rounds(range: CelValue, both: boolean): readonly (readonly [CelValue, CelValue])[] {
  if (isList(range)) return range.map((item, index) => (both ? [BigInt(index), item] : [item, null]))
  if (!(range instanceof CelMap)) throw new CelError('no such overload')
  return range.keys().map((key) => [key, both ? (range.get(key) ?? null) : null])
}

const isGathering = ({ init }: ComprehensionNode): boolean =>
  (init.kind === 'list' && init.elements.length === 0) || (init.kind === 'map' && init.entries.length === 0)

/** Copies a list or map, to be added to: an expression would make a new one in each round. */
function gathered(value: CelValue): CelValue {
  return value instanceof LiteralMap ? new LiteralMap() : isList(value) ? [...value] : value
}

/** Plans the step. `@result + [x]` becomes an addition to the list. */
function planStep(planner: Planner, node: ComprehensionNode, slots: Slots, accu: number): Step {
  if (node.init.kind !== 'list' || node.init.elements.length > 0) return planner.plan(node.step, slots)
  return planAddition(planner, node.step, slots, accu) ?? planner.plan(node.step, slots)
}

function planAddition(planner: Planner, step: Node, slots: Slots, accu: number): Step | undefined {
  if (step.kind !== 'call') return undefined
  if (step.name === '_+_') return addition(planner, step, slots, accu)
  const [condition, yes, no] = step.args
  const add = yes && planAddition(planner, yes, slots, accu)
  if (step.name !== '_?_:_' || !condition || !add || !no) return undefined
  const [holds, otherwise] = [planner.plan(condition, slots), planner.planBranch(no, slots)]
  return (frame) => {
    const value = holds(frame)
    if (typeof value !== 'boolean') throw new CelError('no such overload')
    return value ? add(frame) : otherwise(frame)
  }
}

function addition(planner: Planner, { args }: CallNode, slots: Slots, accu: number): Step | undefined {
  const [, added] = args
  const item = added?.kind === 'list' ? added.elements[0] : undefined
  if (!item || item.optional) return undefined
  const value = planner.plan(item.value, slots)
  const cost = planner.constantOf(item.value) === undefined ? LIST_COST : 0
  return (frame: Frame) => {
    const list = readSlot(frame, accu)
    const next = value(frame)
    // What reading the accumulator, making a list and adding it would cost.
    frame.meter.add(1 + cost + 1)
    if (Array.isArray(list)) list.push(next)
    return list
  }
}
