import type { Overload } from '../library/index.ts'
import type { CallNode, ComprehensionNode, Node, SelectNode, StructNode } from '../syntax/nodes.ts'
import type { Issue } from '../syntax/source.ts'
import { formatCall, isNotMoreSpecific, Mapping } from '../types/mapping.ts'
import {
  BOOL,
  DYN,
  ERROR,
  formatType,
  INT,
  isDyn,
  listOf,
  mapOf,
  mapParts,
  optionalOf,
  structOf,
  TYPE_NAMES,
  type Type,
  typeOf,
} from '../types/type.ts'
import { constantType, insideOptional, qualifiedName } from './node-types.ts'
import { type Declarations, Scope } from './scope.ts'

/** Result of checking an expression. */
interface Checked {
  /** Type that the expression yields; `dyn` if only evaluation shows it. */
  readonly type: Type
  /** The type of each part. */
  readonly types: ReadonlyMap<Node, Type>
  /** Functions that each call may call, without operators that do not evaluate all of their arguments. */
  readonly calls: ReadonlyMap<Node, ResolvedCall>
  readonly issues: readonly Issue[]
}

/** A call whose types are known. */
export interface ResolvedCall {
  /** Name with its namespace, such as `sets.contains`. */
  readonly name: string
  /** False where what stands before the dot is the function's namespace. */
  readonly isMember: boolean
  /** Several where types show only on evaluation. */
  readonly overloads: readonly Overload[]
}

/** Finds out the types of an expression and its parts, as cel-go, and in its words what is wrong. */
export function check(node: Node, declarations: Declarations): Checked {
  const checker = new Checker(declarations)
  checker.check(node, new Scope(declarations.variables))
  return checker.result(node)
}

class Checker {
  readonly #declarations: Declarations
  readonly #mapping = new Mapping()
  readonly #types = new Map<Node, Type>()
  readonly #calls = new Map<Node, ResolvedCall>()
  readonly #issues: Issue[] = []

  constructor(declarations: Declarations) {
    this.#declarations = declarations
  }

  result(node: Node): Checked {
    const types = new Map(
      [...this.#types].map(([part, type]) => [part, this.#mapping.substitute(type, true)]),
    )
    return { type: types.get(node) ?? ERROR, types, calls: this.#calls, issues: this.#issues }
  }

  check(node: Node, scope: Scope): Type {
    // Macros put a part into an expression twice, in one scope: chains of them would take time without end.
    const known = this.#types.get(node)
    if (known) return known
    const type = this.#typeOf(node, scope)
    this.#types.set(node, type)
    return type
  }

  #typeOf(node: Node, scope: Scope): Type {
    switch (node.kind) {
      case 'constant':
        return constantType(node.value)
      case 'ident':
        return this.#named(node.name, scope) ?? this.#undeclared(node.name, node.at)
      case 'select':
        return this.#selected(node, scope)
      case 'call':
        return this.#called(node, scope)
      case 'list':
        return this.#list(node, scope)
      case 'map':
        return this.#map(node, scope)
      case 'struct':
        return this.#struct(node, scope)
      case 'comprehension':
        return this.#comprehension(node, scope)
    }
  }

  #report(message: string, at: number): Type {
    this.#issues.push({ message, at })
    return ERROR
  }

  #undeclared(name: string, at: number): Type {
    return this.#report(`undeclared reference to '${name.replace(/^\./, '')}' (in container '')`, at)
  }

  #named(name: string, scope: Scope): Type | undefined {
    const plain = name.replace(/^\./, '')
    const variable = scope.lookUp(plain)
    if (variable) return variable
    const type = TYPE_NAMES.get(plain)
    if (type) return typeOf(type)
    return this.#declarations.objects.has(plain) ? typeOf(structOf(plain)) : undefined
  }

  #selected(node: SelectNode, scope: Scope): Type {
    const qualified = node.testOnly ? undefined : qualifiedName(node)
    const named = qualified === undefined ? undefined : this.#named(qualified, scope)
    if (named) return named
    const type = this.#field(node, { operand: node.operand, field: node.field, optional: false }, scope)
    return node.testOnly ? BOOL : this.#mapping.substitute(type)
  }

  #field(
    node: Node,
    { operand, field, optional }: { operand: Node; field: string; optional: boolean },
    scope: Scope,
  ): Type {
    this.check(operand, scope)
    const given = this.#mapping.substitute(this.#types.get(operand) ?? ERROR)
    const inner = insideOptional(given)
    const type = this.#fieldOf(inner ?? given, field, node.at)
    return inner || optional ? optionalOf(type) : type
  }

  #fieldOf(target: Type, field: string, at: number): Type {
    if (target.kind === 'map') return target.value
    if (target.kind === 'struct') {
      const type = this.#declarations.objects.field(target.name, field)
      return type ?? this.#report(`undefined field '${field}'`, at)
    }
    if (target.kind === 'param') this.#mapping.assign(DYN, target)
    else if (!isDyn(target)) this.#report(`type '${formatType(target)}' does not support field selection`, at)
    return DYN
  }

  #called(node: CallNode, scope: Scope): Type {
    const { name, target, args, at } = node
    const [operand, field] = args
    if (name === '_?._' && operand && field?.kind === 'constant' && typeof field.value === 'string') {
      const type = this.#field(node, { operand, field: field.value, optional: true }, scope)
      return this.#mapping.substitute(type)
    }
    for (const arg of args) this.check(arg, scope)
    if (SPECIAL.has(name) && !target) return this.#special(node)
    const prefix = target && qualifiedName(target)
    const namespaced = prefix === undefined ? undefined : `${prefix}.${name}`
    if (namespaced !== undefined && this.#declarations.functions.has(namespaced)) {
      return this.#resolve(node, { ...node, name: namespaced, target: undefined })
    }
    if (target) this.check(target, scope)
    const plain = name.replace(/^\./, '')
    if (!this.#declarations.functions.has(plain)) return this.#undeclared(plain, at)
    return this.#resolve(node, node)
  }

  /** Operators that do not evaluate all that they are given. */
  #special({ name, args, at }: CallNode): Type {
    const types = args.map((arg) => this.#types.get(arg) ?? ERROR)
    if (name === '_?_:_') return this.#conditional(types, at)
    for (const [index, arg] of args.entries()) this.#expectBool(arg, types[index] ?? ERROR)
    return BOOL
  }

  #conditional([condition = ERROR, yes = ERROR, no = ERROR]: readonly Type[], at: number): Type {
    const result = this.#mapping.fresh()
    if (this.#mapping.assignAll([condition, yes, no], [BOOL, result, result]))
      return this.#mapping.substitute(result)
    const shown = formatCall(
      [condition, yes, no].map((type) => this.#mapping.substitute(type, true)),
      false,
    )
    return this.#report(`found no matching overload for '_?_:_' applied to '${shown}'`, at)
  }

  #expectBool(node: Node, type: Type): void {
    if (this.#mapping.assign(type, BOOL)) return
    this.#report(
      `expected type 'bool' but found '${formatType(this.#mapping.substitute(type, true))}'`,
      node.at,
    )
  }

  #resolve(node: CallNode, { name, target, args, at }: CallNode): Type {
    const operands = target ? [target, ...args] : args
    const types = operands.map((operand) => this.#types.get(operand) ?? ERROR)
    const plain = name.replace(/^\./, '')
    const overloads = this.#declarations.functions.get(plain) ?? []
    const called: Overload[] = []
    let result: Type | undefined
    for (const overload of overloads) {
      if (overload.isMember !== (target !== undefined)) continue
      const { params, result: yields } = this.#instantiate(overload)
      if (!this.#mapping.assignAll(types, params)) continue
      const type = this.#mapping.substitute(yields)
      called.push(overload)
      if (!result) result = type
      else if (!isDyn(result) && formatType(result) !== formatType(type)) result = DYN
    }
    this.#calls.set(node, { name: plain, isMember: target !== undefined, overloads: called })
    if (result) return result
    const shown = formatCall(
      types.map((type) => this.#mapping.substitute(type, true)),
      target !== undefined,
    )
    return this.#report(`found no matching overload for '${name}' applied to '${shown}'`, at)
  }

  /** Returns the overload with type parameters of its own. */
  #instantiate({ params, result }: Overload): Pick<Overload, 'params' | 'result'> {
    const made = new Map<string, Type>()
    const replace = (type: Type): Type => {
      if (type.kind !== 'param') return mapParts(type, replace)
      const own = made.get(type.name) ?? this.#mapping.fresh()
      made.set(type.name, own)
      return own
    }
    return { params: params.map(replace), result: replace(result) }
  }

  #list({ elements }: Node & { kind: 'list' }, scope: Scope): Type {
    let joined: Type | undefined
    for (const { value, optional } of elements) {
      const type = this.check(value, scope)
      joined = this.#join(joined, optional ? this.#unwrapped(value, type) : type)
    }
    return listOf(joined ?? this.#mapping.fresh())
  }

  #map({ entries }: Node & { kind: 'map' }, scope: Scope): Type {
    let keys: Type | undefined
    let values: Type | undefined
    for (const { key, value, optional } of entries) {
      keys = this.#join(keys, this.check(key, scope))
      const type = this.check(value, scope)
      values = this.#join(values, optional ? this.#unwrapped(value, type) : type)
    }
    return mapOf(keys ?? this.#mapping.fresh(), values ?? this.#mapping.fresh())
  }

  /** Returns the type in an optional that is written with `?`. */
  #unwrapped(node: Node, type: Type): Type {
    const inner = insideOptional(type)
    if (inner) return inner
    if (!isDyn(type)) {
      this.#report(`expected type '${formatType(optionalOf(type))}' but found '${formatType(type)}'`, node.at)
    }
    return type
  }

  /** Joins elements' types; different ones make a list of dyn, which is checked once all else is valid. */
  #join(before: Type | undefined, type: Type): Type {
    if (!before) return type
    if (!this.#mapping.assign(before, type)) return DYN
    return isNotMoreSpecific(before, type) ? before : type
  }

  #struct({ typeName, at, fields }: StructNode, scope: Scope): Type {
    const { objects } = this.#declarations
    if (!objects.has(typeName)) return this.#undeclared(typeName, at)
    for (const { name, at: position, value, optional } of fields) {
      const given = this.check(value, scope)
      const type = optional ? this.#unwrapped(value, given) : given
      const wanted = objects.field(typeName, name)
      if (!wanted) this.#report(`undefined field '${name}'`, position)
      else if (!this.#mapping.assign(wanted, type)) {
        const found = formatType(this.#mapping.substitute(type, true))
        this.#report(
          `expected type of field '${name}' is '${formatType(wanted)}' but provided type is '${found}'`,
          position,
        )
      }
    }
    return structOf(typeName)
  }

  #comprehension(node: ComprehensionNode, scope: Scope): Type {
    const range = this.#mapping.substitute(this.check(node.range, scope))
    const accumulated = this.check(node.init, scope)
    const outer = new Scope(new Map([[node.accumulator, accumulated]]), scope)
    const [variable, second] = this.#elementTypes(node, range)
    const inner = new Scope(
      new Map([
        [node.variable, variable],
        ...(node.second === undefined ? [] : [[node.second, second] as const]),
      ]),
      outer,
    )
    this.#assertType(node.condition, BOOL, inner)
    this.#assertType(node.step, accumulated, inner)
    return this.#mapping.substitute(this.check(node.result, outer))
  }

  #assertType(node: Node, wanted: Type, scope: Scope): void {
    const type = this.check(node, scope)
    if (this.#mapping.assign(wanted, type)) return
    this.#report(`expected type '${formatType(wanted)}' but found '${formatType(type)}'`, node.at)
  }

  #elementTypes({ range: node, second }: ComprehensionNode, range: Type): readonly [Type, Type] {
    if (range.kind === 'list') return second === undefined ? [range.element, ERROR] : [INT, range.element]
    if (range.kind === 'map') return [range.key, range.value]
    if (isDyn(range) || range.kind === 'param') {
      this.#mapping.assign(DYN, range)
      return [DYN, DYN]
    }
    const shown = formatType(range)
    this.#report(
      `expression of type '${shown}' cannot be range of a comprehension (must be list, map, or dynamic)`,
      node.at,
    )
    return [ERROR, ERROR]
  }
}

const SPECIAL = new Set(['_?_:_', '_&&_', '_||_', '@not_strictly_false'])
