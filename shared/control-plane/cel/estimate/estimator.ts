import type { ResolvedCall } from '../check/checker.ts'
import type { Expression } from '../environment.ts'
import type { Overload } from '../library/index.ts'
import type { CallNode, ComprehensionNode, Node, SelectNode } from '../syntax/nodes.ts'
import type { Call, CallEstimate } from './call.ts'
import { type DeclaredSize, INDICES, ITEMS, KEYS, VALUES } from './declared-size.ts'
import { ESTIMATES } from './functions.ts'
import { operatorEstimate } from './operators.ts'
import { around, exactly, NOTHING, plus, type Range, sum, times } from './range.ts'
import { eitherEntries, type Local, type Locals, Sizes } from './sizes.ts'

const ONE = exactly(1)
const NEW = { list: exactly(10), map: exactly(30), struct: exactly(40) }

type Read = Pick<Expression, 'ast' | 'types' | 'calls'>

/** Estimates the cost of an expression if `self` is of that size, as cel-go's `checker/cost.go` does. */
export function estimateCost(expression: Read, self: DeclaredSize): Range {
  return new Estimator(expression, self).cost(expression.ast, new Map())
}

/** Returns the highest cost of evaluating the expression. */
export function mostCost(expression: Read, self: DeclaredSize): bigint {
  return estimateCost(expression, self).most
}

class Estimator {
  readonly #calls: Read['calls']
  readonly #sizes: Sizes
  readonly #typed: Read['types']
  readonly #costs = new Map<Node, Range>()

  constructor({ types, calls }: Read, self: DeclaredSize) {
    this.#calls = calls
    this.#typed = types
    this.#sizes = new Sizes(types, self)
  }

  /** Estimates a part's cost. One that macros put in twice is in one scope, and estimated once. */
  cost(node: Node, locals: Locals): Range {
    const known = this.#costs.get(node) ?? this.#costOf(node, locals)
    this.#costs.set(node, known)
    return known
  }

  #costOf(node: Node, locals: Locals): Range {
    switch (node.kind) {
      case 'constant':
        return NOTHING
      case 'ident':
        return this.#ident(node, node.name, locals)
      case 'select':
        return this.#select(node, locals)
      case 'call':
        return this.#call(node, locals)
      case 'list':
        return this.#list(node, locals)
      case 'map':
        return this.#map(node, locals)
      case 'struct':
        return plus(
          this.#sum(
            node.fields.map(({ value }) => value),
            locals,
          ),
          NEW.struct,
        )
      case 'comprehension':
        return isBinding(node) ? this.#binding(node, locals) : this.#comprehension(node, locals)
    }
  }

  #sum(nodes: readonly Node[], locals: Locals): Range {
    return sum(nodes.map((node) => this.cost(node, locals)))
  }

  #ident(node: Node, written: string, locals: Locals): Range {
    const name = written.replace(/^\./, '')
    this.#sizes.setPath(node, locals.get(name)?.path ?? [name])
    return ONE
  }

  #select(node: SelectNode, locals: Locals): Range {
    const { operand, field, testOnly } = node
    // The checker has taken the whole for one name, as that of a type.
    if (!this.#typed.has(operand)) return this.#ident(node, field, locals)
    const cost = this.cost(operand, locals)
    if (testOnly) return cost
    this.#sizes.setPath(node, [...this.#sizes.path(operand, locals), field])
    return ['map', 'struct'].includes(this.#sizes.type(operand).kind) ? plus(cost, ONE) : cost
  }

  #list(node: Node & { kind: 'list' }, locals: Locals): Range {
    const values = node.elements.map(({ value }) => value)
    const cost = this.#sum(values, locals)
    this.#sizes.setEntries(node, { kind: 'list', key: ONE, value: this.#sizes.anyOf(values, locals) })
    return plus(cost, NEW.list)
  }

  #map(node: Node & { kind: 'map' }, locals: Locals): Range {
    const [keys, values] = [node.entries.map(({ key }) => key), node.entries.map(({ value }) => value)]
    const cost = this.#sum([...keys, ...values], locals)
    const [key, value] = [this.#sizes.anyOf(keys, locals), this.#sizes.anyOf(values, locals)]
    this.#sizes.setEntries(node, { kind: 'map', key, value })
    return plus(cost, NEW.map)
  }

  #call(node: CallNode, locals: Locals): Range {
    const { name, target, args } = node
    const called = this.#calls.get(node)
    if (name === 'dyn') return this.#untyped(node, locals)
    const costs = args.map((arg) => this.cost(arg, locals))
    if (!called) return this.#special(node, costs, locals)
    const parts = args.map((arg) => this.#sizes.part(arg, locals))
    const receiver = called.isMember ? target : undefined
    const targetCost = receiver ? this.cost(receiver, locals) : NOTHING
    const call = {
      target: receiver && this.#sizes.part(receiver, locals),
      args: parts,
      declared: this.#sizes.declared,
    }
    const cost = this.#estimate(node, called, call, locals)
    return sum([targetCost, cost, ...costs])
  }

  /** Estimates `dyn(x)`, which only means that types are not to be checked. */
  #untyped(node: CallNode, locals: Locals): Range {
    const cost = this.#sum(node.args, locals)
    for (const arg of node.args) this.#sizes.copy(node, arg, locals)
    return plus(ONE, cost)
  }

  /** Estimates operators that do not evaluate all of their arguments. */
  #special(node: CallNode, costs: readonly Range[], locals: Locals): Range {
    const [first = NOTHING, second = NOTHING, third = NOTHING] = costs
    switch (node.name) {
      case '_&&_':
      case '_||_':
        return { least: first.least, most: plus(first, second).most }
      case '_?_:_':
        this.#chosen(node, locals)
        return plus(first, around(second, third))
      default:
        return sum([ONE, ...costs])
    }
  }

  #chosen(node: CallNode, locals: Locals): void {
    const [, yes, no] = node.args
    if (!yes || !no) return
    this.#sizes.setSize(node, this.#sizes.anyOf([yes, no], locals))
    this.#sizes.setEntries(
      node,
      eitherEntries(this.#sizes.entries(yes, locals), this.#sizes.entries(no, locals)),
    )
  }

  /** Estimates a call, from the cheapest to the dearest of the overloads that may be called. */
  #estimate(node: CallNode, called: ResolvedCall, call: Omit<Call, 'overload'>, locals: Locals): Range {
    let cost: Range | undefined
    let size: Range | undefined
    for (const overload of called.overloads) {
      const estimate = this.#estimateOne(node, called.name, { ...call, overload }, locals)
      cost = cost ? around(cost, estimate.cost) : estimate.cost
      if (estimate.size) size = size ? around(size, estimate.size) : estimate.size
      const step = called.name === '_[_]' ? stepOf(overload) : undefined
      if (step !== undefined) size = this.#indexed(node, step, locals)
      size ??= this.#sizes.size(node, locals)
    }
    this.#sizes.setSize(node, size)
    return cost ?? NOTHING
  }

  #estimateOne(node: CallNode, name: string, call: Call, locals: Locals): CallEstimate {
    const own = ESTIMATES.get(name)?.(call)
    if (own) return own
    const [a, b] = node.args
    if (name === '_+_' && a && b) {
      const entries = eitherEntries(this.#sizes.entries(a, locals), this.#sizes.entries(b, locals))
      this.#sizes.setEntries(node, entries)
    }
    return operatorEstimate(name, call)
  }

  /** Estimates an element, which comes from the place of its list or map. */
  #indexed(node: CallNode, step: string, locals: Locals): Range | undefined {
    const [container] = node.args
    if (!container) return undefined
    this.#sizes.setPath(node, [...this.#sizes.path(container, locals), step])
    return this.#sizes.entries(container, locals)?.value
  }

  /** Estimates a variable for one expression, in which nothing is repeated. */
  #binding(node: ComprehensionNode, locals: Locals): Range {
    const cost = plus(this.cost(node.range, locals), this.cost(node.init, locals))
    const inner = new Map([...locals, [node.accumulator, this.#localFrom(node.init, locals)]])
    const result = this.cost(node.result, inner)
    this.#sizes.copy(node, node.result, inner)
    return plus(cost, result)
  }

  #localFrom(node: Node, locals: Locals): Local {
    return {
      path: this.#sizes.path(node, locals),
      size: this.#sizes.size(node, locals),
      entries: this.#sizes.entries(node, locals),
    }
  }

  #comprehension(node: ComprehensionNode, locals: Locals): Range {
    const { range, init, condition, step, result } = node
    const before = plus(this.cost(range, locals), this.cost(init, locals))
    const outer = new Map([...locals, [node.accumulator, this.#localFrom(init, locals)]])
    const inner = new Map([...outer, ...this.#variables(node, outer)])
    const turn = plus(this.cost(condition, inner), this.cost(step, inner))
    const after = this.cost(result, outer)
    const count = this.#sizes.sizeOrUnknown(range, locals)
    if (init.kind === 'constant') this.#sizes.setSize(node, this.#sizes.size(init, locals))
    if (init.kind === 'list' || init.kind === 'map') {
      this.#sizes.setSize(node, count)
      this.#sizes.setEntries(node, this.#sizes.entries(step, locals))
    }
    return sum([before, after, times(count, turn)])
  }

  #variables({ range, variable, second }: ComprehensionNode, locals: Locals): [string, Local][] {
    const entries = this.#sizes.entries(range, locals)
    const isList = (entries?.kind ?? this.#sizes.type(range).kind) === 'list'
    const path = this.#sizes.path(range, locals)
    const local = (step: string, size: Range | undefined): Local => ({
      path: [...path, step],
      size,
      entries: undefined,
    })
    const value = local(isList ? ITEMS : VALUES, entries?.value)
    if (second !== undefined)
      return [
        [variable, local(isList ? INDICES : KEYS, entries?.key)],
        [second, value],
      ]
    return [[variable, isList ? value : local(KEYS, entries?.key)]]
  }
}

function stepOf({ params: [container] }: Overload): string | undefined {
  if (container?.kind === 'list') return ITEMS
  return container?.kind === 'map' ? VALUES : undefined
}

/** Reports whether a fold is one over nothing, such as `optMap` makes. */
function isBinding({ range, condition }: ComprehensionNode): boolean {
  const isEmpty = range.kind === 'list' && range.elements.length === 0
  return isEmpty && condition.kind === 'constant' && condition.value === false
}
