import { isObject, type JsonObject, type JsonValue } from '../json.ts'
import { memberSchema, type Schema } from '../structural/index.ts'
import type { CelEvaluator, CelValue } from './evaluator.ts'

const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/

/** The name by which CEL knows a property; undefined where it cannot be named. */
export function celName(property: string): string | undefined {
  if (RESERVED.has(property)) return `__${property}__`
  const escaped = property
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__')
  return IDENTIFIER.test(escaped) ? escaped : undefined
}

/** A JSON value as CEL sees a field of that schema. */
export function toCel(value: JsonValue, schema: Schema | undefined, evaluator: CelEvaluator): CelValue {
  if (Array.isArray(value)) return value.map((item) => toCel(item, schema?.items, evaluator))
  if (isObject(value)) return toMap(value, schema, evaluator)
  if (typeof value === 'number') return numberToCel(value, schema)
  return typeof value === 'string' ? textToCel(value, schema, evaluator) : value
}

/** A Map: members may be called anything. Integers of a field of type number are doubles; without a schema they are integers. */
function toMap(value: JsonObject, schema: Schema | undefined, evaluator: CelEvaluator): CelValue {
  return new Map(
    Object.entries(value).flatMap(([name, item]) => {
      const isProperty = schema?.properties.has(name) ?? false
      const key = isProperty ? celName(name) : name
      return key === undefined ? [] : [[key, toCel(item ?? null, memberSchema(schema, name), evaluator)]]
    }),
  )
}

function numberToCel(value: number, schema: Schema | undefined): CelValue {
  return schema?.type === 'number' || !Number.isInteger(value) ? value : BigInt(value)
}

function textToCel(text: string, schema: Schema | undefined, evaluator: CelEvaluator): CelValue {
  switch (schema?.limits.format) {
    case 'date':
    case 'date-time': {
      const time = new Date(text)
      return Number.isNaN(time.getTime()) ? text : time
    }
    case 'duration':
      return evaluator.duration(text)
    case 'byte':
      return new Uint8Array(Buffer.from(text, 'base64'))
    default:
      return text
  }
}
