import { CelError, CostError } from '../errors.ts'
import type { CallNode, Node } from '../syntax/nodes.ts'
import { type CelValue, Optional } from '../values/value.ts'
import { Failure, type Frame, type Step } from './frame.ts'

/** Plans a part; branches of a condition are planned otherwise. */
type Plan = (node: Node, isBranch?: boolean) => Step

const LOGICAL = new Set(['_&&_', '_||_', '_?_:_', '@not_strictly_false'])

/** Plans `&&`, `||`, `?:` and comprehensions' conditions; undefined for calls that evaluate all arguments. */
export function planLogical({ name, target, args }: CallNode, plan: Plan): Step | undefined {
  if (target) return planAlternative(name, target, args, plan)
  if (!LOGICAL.has(name)) return undefined
  const isBranch = (index: number): boolean => name === '_?_:_' && index > 0
  const [first, second, third] = args.map((arg, index) => plan(arg, isBranch(index)))
  if (!first) return undefined
  if (name === '@not_strictly_false') return notStrictlyFalse(first)
  if (!second) return undefined
  if (name === '_&&_') return decided(first, second, false)
  if (name === '_||_') return decided(first, second, true)
  return name === '_?_:_' && third ? conditional(first, second, third) : undefined
}

/** Plans `or` and `orValue` of optionals, which evaluate their argument only if there is no value. */
function planAlternative(name: string, target: Node, args: readonly Node[], plan: Plan): Step | undefined {
  const [other] = args
  if ((name !== 'or' && name !== 'orValue') || !other || args.length > 1) return undefined
  const [first, second] = [plan(target), plan(other)]
  return (frame) => {
    const value = first(frame)
    if (!(value instanceof Optional)) throw new CelError('no such overload')
    if (value.value === undefined) return second(frame)
    return name === 'or' ? value : value.value
  }
}

/** Evaluates operands of which one may decide alone. A failure of the other shows only if neither does. */
function decided(left: Step, right: Step, value: boolean): Step {
  return (frame) => {
    const first = attempt(left, frame)
    if (first === value) return value
    const second = attempt(right, frame)
    if (second === value) return value
    for (const operand of [first, second]) {
      if (operand instanceof Failure) throw operand.error
      if (typeof operand !== 'boolean') throw new CelError('no such overload')
    }
    return !value
  }
}

export function attempt(step: Step, frame: Frame): CelValue | Failure {
  try {
    return step(frame)
  } catch (error) {
    if (error instanceof CelError && !(error instanceof CostError)) return new Failure(error)
    throw error
  }
}

function conditional(condition: Step, yes: Step, no: Step): Step {
  return (frame) => {
    const value = condition(frame)
    if (typeof value !== 'boolean') throw new CelError('no such overload')
    return value ? yes(frame) : no(frame)
  }
}

function notStrictlyFalse(operand: Step): Step {
  return (frame) => {
    const value = attempt(operand, frame)
    frame.meter.add(1)
    return value !== false
  }
}
