import { CelError } from '../errors.ts'
import { ERROR, formatType, isDyn, isExactly, mapParts, partsOf, type Type } from './type.ts'

/** Maximum number of parts of types that are read for one expression, some half a second's work. */
const MOST_STEPS = 5_000_000

/**
 * Values of the type parameters of one expression, as they are found out. The rules are cel-go's: a parameter
 * takes the most general of the types that it meets, and `dyn` fits everything.
 */
export class Mapping {
  readonly #known = new Map<string, Type>()
  /** Parameters that became known, or known otherwise, with what they were: for taking back. */
  readonly #trail: (readonly [name: string, before: Type | undefined])[] = []
  #made = 0
  #steps = 0

  /** Makes a parameter of which nothing is known yet. */
  fresh(): Type {
    return { kind: 'param', name: `_var${this.#made++}` }
  }

  /** Reports whether the one type can be used as the other, and then keeps what parameters stand for. */
  assign(type: Type, to: Type): boolean {
    return this.assignAll([type], [to])
  }

  assignAll(types: readonly Type[], to: readonly Type[]): boolean {
    const mark = this.#trail.length
    const fits =
      types.length === to.length && types.every((type, index) => this.#assignable(type, to[index] ?? ERROR))
    if (!fits) this.#takeBack(mark)
    return fits
  }

  /** Returns the type with what is known of its parameters. With `toDyn`, unknown ones become dyn. */
  substitute(type: Type, toDyn = false): Type {
    this.#step()
    if (type.kind !== 'param') return mapParts(type, (part) => this.substitute(part, toDyn))
    const known = this.#known.get(type.name)
    if (known) return this.substitute(known, toDyn)
    return toDyn ? { kind: 'dyn' } : type
  }

  #assignable(type: Type, to: Type): boolean {
    this.#step()
    if (to.kind === 'param') {
      const taken = this.#bind(type, to)
      if (taken !== 'free') return taken
    }
    if (type.kind === 'param') return this.#bind(to, type) === true
    if (isDyn(type) || isDyn(to)) return true
    if (type.kind === 'null') return takesNull(to)
    if (to.kind === 'null') return takesNull(type)
    return this.#sameShape(type, to)
  }

  #sameShape(type: Type, to: Type): boolean {
    if (type.kind !== to.kind) return false
    if (type.kind === 'type') return true
    if (type.kind === 'primitive' || type.kind === 'struct') return isExactly(type, to)
    if (type.kind === 'opaque' && to.kind === 'opaque' && type.name !== to.name) return false
    const parts = partsOf(to)
    return partsOf(type).every((part, index) => this.#assignable(part, parts[index] ?? ERROR))
  }

  /** Reports whether a parameter can stand for the type; `free` if not, but nothing else is known of it. */
  #bind(type: Type, parameter: Type & { kind: 'param' }): boolean | 'free' {
    if (isExactly(type, parameter)) return true
    const known = this.#known.get(parameter.name)
    if (!known) {
      if (this.#occurs(parameter.name, type)) return 'free'
      this.#remember(parameter.name, type)
      return true
    }
    if (isExactly(type, known)) return true
    if (!this.#assignable(type, known)) return false
    const general = isNotMoreSpecific(type, known) ? type : known
    if (!this.#occurs(parameter.name, general)) this.#remember(parameter.name, general)
    return true
  }

  #remember(name: string, type: Type): void {
    this.#trail.push([name, this.#known.get(name)])
    this.#known.set(name, type)
  }

  #takeBack(mark: number): void {
    for (const [name, before] of this.#trail.splice(mark).reverse()) {
      if (before) this.#known.set(name, before)
      else this.#known.delete(name)
    }
  }

  /** Counts a step: a map of one type twice is twice as large, so that a chain of them would not end. */
  #step(): void {
    if (++this.#steps > MOST_STEPS) throw new CelError('the types of the expression are too large')
  }

  #occurs(name: string, type: Type): boolean {
    this.#step()
    if (type.kind !== 'param') return partsOf(type).some((part) => this.#occurs(name, part))
    if (type.name === name) return true
    const known = this.#known.get(type.name)
    return known !== undefined && this.#occurs(name, known)
  }
}

const takesNull = (type: Type): boolean =>
  type.kind === 'null' ||
  type.kind === 'opaque' ||
  type.kind === 'struct' ||
  (type.kind === 'primitive' && ['timestamp', 'duration'].includes(type.name))

/** Reports whether the first type is equal to the second one or leaves more open. */
export function isNotMoreSpecific(a: Type, b: Type): boolean {
  if (isDyn(a) || a.kind === 'param') return true
  if (isDyn(b) || b.kind === 'param' || a.kind !== b.kind) return false
  if (a.kind === 'type') return true
  if (a.kind === 'primitive' || a.kind === 'struct') return isExactly(a, b)
  if (a.kind === 'opaque' && b.kind === 'opaque' && a.name !== b.name) return false
  const parts = partsOf(b)
  return partsOf(a).every((part, index) => isNotMoreSpecific(part, parts[index] ?? ERROR))
}

/** Formats the arguments of a call as cel-go does: `(int, string)`, or `string.(int)` with a receiver. */
export function formatCall(types: readonly Type[], hasTarget: boolean): string {
  const [first, ...rest] = types.map(formatType)
  return hasTarget ? `${first}.(${rest.join(', ')})` : `(${types.map(formatType).join(', ')})`
}
