import type { Overload } from '../library/index.ts'
import type { Type } from '../types/type.ts'

/** Types with fields that expressions may read or make. */
export interface ObjectTypes {
  /** Reports whether a name is such a type. */
  has(typeName: string): boolean
  /** Returns the type of a field; undefined if the type does not have it. */
  field(typeName: string, field: string): Type | undefined
}

/** Names that an expression may use. */
export interface Declarations {
  readonly variables: ReadonlyMap<string, Type>
  readonly functions: ReadonlyMap<string, readonly Overload[]>
  readonly objects: ObjectTypes
}

/** The variables in scope at a place: those of comprehensions hide others. */
export class Scope {
  readonly #parent: Scope | undefined
  readonly #variables: ReadonlyMap<string, Type>

  constructor(variables: ReadonlyMap<string, Type>, parent?: Scope) {
    this.#variables = variables
    this.#parent = parent
  }

  lookUp(name: string): Type | undefined {
    return this.#variables.get(name) ?? this.#parent?.lookUp(name)
  }
}
