import type { Node } from '../syntax/nodes.ts'
import { BOOL, BYTES, DOUBLE, DYN, INT, NULL, STRING, type Type, UINT } from '../types/type.ts'
import { Uint } from '../values/value.ts'

/** Returns the type of a literal. */
export function constantType(value: unknown): Type {
  switch (typeof value) {
    case 'boolean':
      return BOOL
    case 'bigint':
      return INT
    case 'number':
      return DOUBLE
    case 'string':
      return STRING
    default:
      if (value === null) return NULL
      return value instanceof Uint ? UINT : BYTES
  }
}

/** Returns the type in an optional; undefined for other types. */
export function insideOptional(type: Type): Type | undefined {
  return type.kind === 'opaque' && type.name === 'optional_type' ? (type.params[0] ?? DYN) : undefined
}

/** Returns a name such as `a.b.c`, if an expression is just that; undefined otherwise. */
export function qualifiedName(node: Node): string | undefined {
  if (node.kind === 'ident') return node.name
  if (node.kind !== 'select' || node.testOnly) return undefined
  const before = qualifiedName(node.operand)
  return before === undefined ? undefined : `${before}.${node.field}`
}
