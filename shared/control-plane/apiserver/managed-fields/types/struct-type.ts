import {
  type Field,
  type FieldType,
  pointee,
  type Scalar,
  type Struct,
  structOf,
} from '../../schema/table.ts'
import { ATOMIC, DEDUCED, type MapType, type MergeType, type ScalarType, UNTYPED } from './merge-type.ts'

/** Returns the type of a Go struct of the schema table, such as `core.Service`, if the table has it. */
export function structType(name: string): MapType | undefined {
  const struct = structOf(name)
  return struct && mapOf(struct, struct.atomic)
}

function mapOf(struct: Struct, atomic: boolean): MapType {
  return {
    kind: 'map',
    atomic,
    member: (name) => {
      const field = struct.byName.get(name)
      return field && fieldType(field)
    },
    defaultOf: (name) => struct.byName.get(name)?.default,
  }
}

function fieldType(field: Field): MergeType {
  const type = pointee(field.type)
  if (type.kind === 'list') {
    return {
      kind: 'list',
      relation: field.list ?? 'atomic',
      keys: field.keys,
      element: typeOf(type.element, false),
    }
  }
  return typeOf(type, field.atomic)
}

/** Returns the type of a value without markers of its own, or only with the one for atomic. */
function typeOf(declared: FieldType, atomic: boolean): MergeType {
  const type = pointee(declared)
  switch (type.kind) {
    case 'scalar':
      return SCALARS[type.scalar]
    case 'list':
      return { kind: 'list', relation: 'atomic', keys: [], element: typeOf(type.element, false) }
    case 'map':
      return { kind: 'map', atomic, member: () => undefined, others: typeOf(type.element, false) }
    case 'struct': {
      const struct = structOf(type.name)
      return struct ? mapOf(struct, atomic || struct.atomic) : DEDUCED
    }
    case 'pointer':
      return DEDUCED
  }
}

const STRING: ScalarType = { kind: 'scalar', scalar: 'string' }
const NUMBER: ScalarType = { kind: 'scalar', scalar: 'number' }

const SCALARS: Record<Scalar, MergeType> = {
  string: STRING,
  bool: { kind: 'scalar', scalar: 'boolean' },
  int32: NUMBER,
  int64: NUMBER,
  float64: NUMBER,
  bytes: STRING,
  time: UNTYPED,
  microtime: UNTYPED,
  quantity: UNTYPED,
  intstr: UNTYPED,
  any: ATOMIC,
  schemaOrBool: ATOMIC,
  schemaOrArray: ATOMIC,
  schemaOrStrings: ATOMIC,
}
