import {
  type FieldType,
  pointee,
  type Scalar,
  structOf as tableStruct,
} from '../../apiserver/schema/table.ts'
import type { ObjectTypes } from '../check/scope.ts'
import {
  BOOL,
  BYTES,
  DOUBLE,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  structOf,
  TIMESTAMP,
  type Type,
} from '../types/type.ts'
import { propertyName } from '../values/names.ts'

const SCALARS: Partial<Record<Scalar, Type>> = {
  string: STRING,
  bool: BOOL,
  int32: INT,
  int64: INT,
  float64: DOUBLE,
  bytes: BYTES,
  time: TIMESTAMP,
  microtime: TIMESTAMP,
  quantity: STRING,
}

/** Types of a built-in kind, by the schema table: `Pod`, `Pod.spec`, `Pod.spec.containers.@idx`, …. */
export class StructTypes implements ObjectTypes {
  readonly root: Type
  /** The struct of each type that has been met. */
  readonly #structs = new Map<string, string>()

  /** @param struct as `core.Pod` */
  constructor(struct: string, name: string) {
    this.root = this.#typeOf({ kind: 'struct', name: struct }, name)
  }

  has(typeName: string): boolean {
    return this.#structs.has(typeName)
  }

  field(typeName: string, field: string): Type | undefined {
    const struct = tableStruct(this.#structs.get(typeName) ?? '')
    const declared = struct?.byName.get(propertyName(field))
    return declared && this.#typeOf(declared.type, `${typeName}.${field}`)
  }

  #typeOf(declared: FieldType, name: string): Type {
    const type = pointee(declared)
    switch (type.kind) {
      case 'scalar':
        return SCALARS[type.scalar] ?? DYN
      case 'list':
        return listOf(this.#typeOf(type.element, `${name}.@idx`))
      case 'map':
        return mapOf(STRING, this.#typeOf(type.element, `${name}.@elem`))
      default:
        return this.#struct(type, name)
    }
  }

  #struct(type: FieldType, name: string): Type {
    if (type.kind !== 'struct' || !tableStruct(type.name)) return DYN
    this.#structs.set(name, type.name)
    return structOf(name)
  }
}
