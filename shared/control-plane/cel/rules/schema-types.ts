import type { Schema } from '../../apiextensions/structural/schema.ts'
import type { ObjectTypes } from '../check/scope.ts'
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  structOf,
  TIMESTAMP,
  type Type,
} from '../types/type.ts'
import { celName } from '../values/names.ts'

const META: ReadonlyMap<string, Type> = new Map([
  ['apiVersion', STRING],
  ['kind', STRING],
])
const OBJECT_META: ReadonlyMap<string, Type> = new Map([
  ['name', STRING],
  ['generateName', STRING],
])
const TEXTS: Readonly<Record<string, Type>> = {
  byte: BYTES,
  duration: DURATION,
  date: TIMESTAMP,
  'date-time': TIMESTAMP,
}

/** Types of a structural schema: each object with properties is a type of its own, named by its path. */
export class SchemaTypes implements ObjectTypes {
  readonly root: Type
  readonly #structs = new Map<string, ReadonlyMap<string, Type>>()

  constructor(schema: Schema, name: string) {
    this.root = this.#typeOf(schema, name) ?? DYN
  }

  has(typeName: string): boolean {
    return this.#structs.has(typeName)
  }

  field(typeName: string, field: string): Type | undefined {
    return this.#structs.get(typeName)?.get(field)
  }

  /** Returns the type of a schema; undefined for values that expressions cannot see. */
  #typeOf(schema: Schema, name: string): Type | undefined {
    if (schema.intOrString) return DYN
    switch (schema.type) {
      case 'array': {
        const items = schema.items && this.#typeOf(schema.items, `${name}.@idx`)
        return items && listOf(items)
      }
      case 'object':
        return this.#objectType(schema, name)
      case 'string':
        return TEXTS[schema.limits.format] ?? STRING
      case 'boolean':
        return BOOL
      case 'number':
        return DOUBLE
      case 'integer':
        return INT
      default:
        return undefined
    }
  }

  #objectType({ additional, properties, embedded }: Schema, name: string): Type | undefined {
    if (additional !== undefined && additional !== 'any') {
      const values = this.#typeOf(additional, `${name}.@elem`)
      return values && mapOf(STRING, values)
    }
    const fields = new Map<string, Type>()
    for (const [property, schema] of properties) {
      const field = celName(property)
      const type = this.#typeOf(schema, `${name}.${field}`)
      if (field !== undefined && type) fields.set(field, type)
    }
    if (embedded) this.#addMeta(fields, name)
    this.#structs.set(name, fields)
    return structOf(name)
  }

  #addMeta(fields: Map<string, Type>, name: string): void {
    for (const [field, type] of META) if (!fields.has(field)) fields.set(field, type)
    const metadata = `${name}.metadata`
    this.#structs.set(metadata, new Map([...(this.#structs.get(metadata) ?? []), ...OBJECT_META]))
    fields.set('metadata', structOf(metadata))
  }
}
