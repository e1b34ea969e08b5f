import { PatternError, patternOf } from '../../apiextensions/structural/pattern.ts'
import { qualifiedName } from '../check/node-types.ts'
import type { Declarations } from '../check/scope.ts'
import { CelError } from '../errors.ts'
import { indexedDynamically, indexedOptional, lookUp, shown } from '../library/index.ts'
import type { CallNode, Node, SelectNode, StructNode } from '../syntax/nodes.ts'
import { TYPE_NAMES } from '../types/type.ts'
import { CelMap, type CelValue, isList, LiteralMap, Optional, TypeValue, Uint } from '../values/value.ts'
import { CostBudget, CostMeter } from './budget.ts'
import { planCall } from './call.ts'
import { planComprehension, type Slots } from './comprehension.ts'
import { type Frame, readSlot, type Step } from './frame.ts'
import { planLogical } from './logical.ts'

const LIST_COST = 10
const MAP_COST = 30
const STRUCT_COST = 40

/** Makes expressions ready to be evaluated. */
export class Planner {
  readonly declarations: Declarations
  readonly #planned = new Map<Node, Step>()
  #slots = 0

  constructor(declarations: Declarations) {
    this.declarations = declarations
  }

  newSlot(): number {
    return this.#slots++
  }

  /** Plans a part, once if macros have put it into an expression twice. */
  plan(node: Node, slots: Slots): Step {
    const known = this.#planned.get(node) ?? this.#plan(node, slots)
    this.#planned.set(node, known)
    return known
  }

  #plan(node: Node, slots: Slots): Step {
    const constant = this.constantOf(node)
    if (constant !== undefined) return () => constant
    switch (node.kind) {
      case 'constant':
        return () => node.value
      case 'ident':
        return this.#ident(node.name, slots)
      case 'select':
        return this.#select(node, slots)
      case 'call':
        return this.#call(node, slots)
      case 'list':
        return this.#list(node, slots)
      case 'map':
        return this.#map(node, slots)
      case 'struct':
        return this.#struct(node, slots)
      case 'comprehension':
        return planComprehension(this, node, slots)
    }
  }

  /** Returns a constant expression's value, evaluated once and at no cost; undefined for others. */
  constantOf(node: Node): CelValue | undefined {
    if (node.kind === 'constant') return node.value
    if (node.kind === 'list') return this.#constantList(node.elements)
    if (node.kind === 'map') return this.#constantMap(node.entries)
    const [arg] = node.kind === 'call' && !node.target && CONVERSIONS.has(node.name) ? node.args : []
    if (node.kind !== 'call' || !arg || node.args.length > 1) return undefined
    const value = this.constantOf(arg)
    return value === undefined ? undefined : convertConstant(this.declarations, node.name, value)
  }

  #constantList(
    elements: readonly { readonly value: Node; readonly optional: boolean }[],
  ): CelValue | undefined {
    const values = elements.map(({ value, optional }) => (optional ? undefined : this.constantOf(value)))
    return values.every((value) => value !== undefined) ? values : undefined
  }

  #constantMap(entries: (Node & { kind: 'map' })['entries']): CelValue | undefined {
    const members: [CelValue, CelValue][] = []
    for (const { key, value, optional } of entries) {
      const [name, member] = [this.constantOf(key), this.constantOf(value)]
      if (name === undefined || member === undefined || optional) return undefined
      members.push([name, member])
    }
    return new LiteralMap(members)
  }

  #ident(written: string, slots: Slots): Step {
    const name = written.replace(/^\./, '')
    const slot = written === name ? slots.get(name) : undefined
    if (slot !== undefined) {
      return (frame) => {
        frame.meter.add(1)
        return readSlot(frame, slot)
      }
    }
    const typeName = this.#typeName(name)
    if (typeName !== undefined) return () => new TypeValue(typeName)
    return (frame) => {
      frame.meter.add(1)
      const value = frame.variable(name)
      if (value === undefined) throw new CelError(`no such attribute(s): ${name}`)
      return value
    }
  }

  #typeName(name: string): string | undefined {
    const { variables, objects } = this.declarations
    if (variables.has(name)) return undefined
    return TYPE_NAMES.has(name) || objects.has(name) ? name : undefined
  }

  #select(node: SelectNode, slots: Slots): Step {
    const qualified = node.testOnly ? undefined : qualifiedName(node)
    if (qualified !== undefined && !slots.has(rootOf(qualified))) {
      const declared = this.declarations.variables.has(qualified) || this.#typeName(qualified) !== undefined
      if (declared) return this.#ident(qualified, slots)
    }
    const operand = this.plan(node.operand, slots)
    const cost = isAttribute(node.operand) ? 1 : 2
    const { field } = node
    return (frame) => {
      const value = operand(frame)
      if (node.testOnly) {
        frame.meter.add(cost - 1)
        return hasField(value, field)
      }
      const found = fieldOf(value, field)
      frame.meter.add(found === Optional.none ? cost - 1 : cost)
      return found
    }
  }

  #call(node: CallNode, slots: Slots): Step {
    const logical = planLogical(node, (part, isBranch) =>
      isBranch ? this.planBranch(part, slots) : this.plan(part, slots),
    )
    if (logical) return logical
    const { name, target, args } = node
    if (name === '_?._') return this.#optionalField(args, slots)
    if (name === '_[_]' || name === '_[?_]') return this.#index(node, slots)
    if (name === '@in') return this.#membership(args, slots)
    const prefix = target && qualifiedName(target)
    const namespaced = `${prefix}.${name}`
    if (prefix !== undefined && this.declarations.functions.has(namespaced)) {
      return planCall(
        this.declarations,
        { name: namespaced, isMember: false },
        args.map((arg) => this.plan(arg, slots)),
      )
    }
    checkPattern(node)
    const operands = target ? [target, ...args] : args
    return planCall(
      this.declarations,
      { name: name.replace(/^\./, ''), isMember: target !== undefined },
      operands.map((operand) => this.plan(operand, slots)),
    )
  }

  /** Plans a condition, in which reading a variable costs nothing. A condition within does so itself. */
  planBranch(node: Node, slots: Slots): Step {
    const step = this.plan(node, slots)
    const isCondition = node.kind === 'call' && node.name === '_?_:_'
    if (isCondition || !isAttribute(node) || this.constantOf(node) !== undefined) return step
    return (frame) => {
      const before = frame.meter.spent
      try {
        return step(frame)
      } finally {
        // Names of types have cost nothing, so nothing is refunded for them.
        if (frame.meter.spent > before) frame.meter.add(-1)
      }
    }
  }

  #index({ name, args }: CallNode, slots: Slots): Step {
    const [container, index] = args
    const isOptional = name === '_[?_]'
    const cost = container && isAttribute(container) ? 1 : 2
    const refund = index && isAttribute(index) && this.constantOf(index) === undefined ? 1 : 0
    const operands = args.map((arg) => this.plan(arg, slots))
    const otherwise = isOptional ? indexedOptional : indexedDynamically
    const compute = planCall(this.declarations, { name, isMember: false, cost: () => 0, otherwise }, operands)
    return (frame) => {
      const found = compute(frame)
      frame.meter.add((found === Optional.none ? cost - 1 : cost) - refund)
      return found
    }
  }

  /** Plans a search. Looking for something among plain constants costs nothing. */
  #membership(args: readonly Node[], slots: Slots): Step {
    const [, container] = args
    const constant = container?.kind === 'list' ? this.constantOf(container) : undefined
    const isConstant = isList(constant ?? null) && (constant as readonly CelValue[]).every(isPlain)
    const operands = args.map((arg) => this.plan(arg, slots))
    const how = { name: '@in', isMember: false }
    return planCall(this.declarations, isConstant ? { ...how, cost: () => 0 } : how, operands)
  }

  #optionalField([target, name]: readonly Node[], slots: Slots): Step {
    const operand = target ? this.plan(target, slots) : () => null
    const field = name?.kind === 'constant' ? name.value : null
    const cost = target && isAttribute(target) ? 1 : 2
    return (frame) => {
      const value = operand(frame)
      const inner = value instanceof Optional ? value.value : value
      const found = inner === undefined ? undefined : lookUp(inner, field)
      frame.meter.add(found === undefined ? cost - 1 : cost)
      return found === undefined ? Optional.none : new Optional(found)
    }
  }

  #list({ elements }: Node & { kind: 'list' }, slots: Slots): Step {
    const items = elements.map(({ value, optional }) => ({ step: this.plan(value, slots), optional }))
    return (frame) => {
      const list: CelValue[] = []
      for (const { step, optional } of items) {
        const value = step(frame)
        const kept = optional ? unwrap(value) : value
        if (kept !== undefined) list.push(kept)
      }
      frame.meter.add(LIST_COST)
      return list
    }
  }

  #map({ entries }: Node & { kind: 'map' }, slots: Slots): Step {
    const members = entries.map(({ key, value, optional }) => ({
      key: this.plan(key, slots),
      value: this.plan(value, slots),
      optional,
    }))
    return (frame) => {
      const map = new LiteralMap()
      for (const { key, value, optional } of members) {
        const name = key(frame)
        const kept = optional ? unwrap(value(frame)) : value(frame)
        if (kept !== undefined) map.insert(name, kept)
      }
      frame.meter.add(MAP_COST)
      return map
    }
  }

  #struct({ typeName, fields }: StructNode, slots: Slots): Step {
    const members = fields.map(({ name, value, optional }) => ({
      name,
      step: this.plan(value, slots),
      optional,
    }))
    return (frame) => {
      const entries = members.flatMap(({ name, step, optional }): [string, CelValue][] => {
        const kept = optional ? unwrap(step(frame)) : step(frame)
        return kept === undefined ? [] : [[name, kept]]
      })
      frame.meter.add(STRUCT_COST)
      return new LiteralMap(entries, typeName)
    }
  }
}

const FINDERS = new Set(['find', 'findAll'])

/** Throws CelError for a constant pattern that is none: that shows before the first evaluation. */
function checkPattern({ name, target, args: [pattern] }: CallNode): void {
  if (!target || !FINDERS.has(name) || pattern?.kind !== 'constant' || typeof pattern.value !== 'string')
    return
  try {
    patternOf(pattern.value)
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    throw new CelError(error.message, { cause: error })
  }
}

const CONVERSIONS = new Set('bool bytes double duration dyn int string timestamp type uint'.split(' '))

/** Throws CelError where the value cannot be converted. */
function convertConstant(declarations: Declarations, name: string, value: CelValue): CelValue {
  const meter = new CostMeter(Infinity, new CostBudget())
  const frame: Frame = { variable: () => undefined, slots: [], meter }
  return planCall(declarations, { name, isMember: false }, [() => value])(frame)
}

/** Reports whether a node is a variable, or a look-up in one. Reading it counts once. */
function isAttribute(node: Node): boolean {
  if (node.kind === 'ident') return true
  if (node.kind === 'select') return !node.testOnly
  return node.kind === 'call' && ATTRIBUTES.has(node.name)
}

const ATTRIBUTES = new Set(['_[_]', '_[?_]', '_?._', '_?_:_'])

const isPlain = (value: CelValue): boolean =>
  ['boolean', 'bigint', 'number', 'string'].includes(typeof value) || value instanceof Uint

const rootOf = (qualified: string): string => qualified.slice(0, qualified.indexOf('.'))

function unwrap(value: CelValue): CelValue | undefined {
  if (!(value instanceof Optional)) throw new CelError('no such overload')
  return value.value
}

function fieldOf(value: CelValue, field: string): CelValue {
  if (value instanceof Optional) {
    const found = value.value === undefined ? undefined : lookUp(value.value, field)
    return found === undefined ? Optional.none : new Optional(found)
  }
  const found = value instanceof CelMap ? value.get(field) : undefined
  if (found !== undefined) return found
  if (isList(value)) throw new CelError(`unsupported index type 'string' in list`)
  throw new CelError(`no such key: ${shown(field)}`)
}

function hasField(value: CelValue, field: string): boolean {
  if (value instanceof Optional) return value.value !== undefined && hasField(value.value, field)
  return lookUp(value, field) !== undefined
}

export type { Frame, Step }
