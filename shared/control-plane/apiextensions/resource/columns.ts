import {
  integerOf,
  type JsonObject,
  type JsonValue,
  jsonText,
} from '../../apimachinery/json/exact-numbers.ts'
import { isNumber, numberAt, objectsAt, stringAt } from '../../apimachinery/json/values.ts'
import type { Column, TableColumns } from '../../apiserver/registry/definition/table-columns.ts'
import { goFormat } from '../../apiserver/schema/go-format.ts'
import { nameAndAge } from '../../apiserver/table/columns.ts'
import { ageSince } from '../../apiserver/table/format.ts'
import { parseJsonPath } from './json-path.ts'

/** Returns a version's table: the name, then its `additionalPrinterColumns`, or the age without any. */
export function columnsOf(version: JsonObject): TableColumns {
  const own = objectsAt(version, 'additionalPrinterColumns')
  const [name] = nameAndAge.columns
  const given = own.length > 0 ? own : [AGE]
  const paths = given.map((column) => ({
    type: stringAt(column, 'type'),
    path: parseJsonPath(stringAt(column, 'jsonPath')),
  }))
  return {
    columns: [...(name ? [name] : []), ...given.map(columnOf)],
    cells: (object, now) => [
      object.metadata.name ?? '',
      ...paths.map(({ type, path }) => cellOf(path?.first(object), type, now)),
    ],
  }
}

const LEAST_INT64 = -(2n ** 63n)

const AGE: JsonObject = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description:
    'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata',
}

function columnOf(column: JsonObject): Column {
  const path = stringAt(column, 'jsonPath')
  return {
    name: stringAt(column, 'name'),
    type: stringAt(column, 'type'),
    format: stringAt(column, 'format'),
    description:
      stringAt(column, 'description') || `Custom resource definition column (in JSONPath format): ${path}`,
    priority: numberAt(column, 'priority') ?? 0,
  }
}

/** Returns the value as a cell of its column's type; null if it is of another type. */
function cellOf(value: JsonValue | undefined, type: string, now: number): JsonValue {
  if (value === undefined || value === null) return null
  switch (type) {
    case 'integer':
      return isNumber(value) ? wholeOf(value) : null
    case 'number':
      return isNumber(value) ? Number(value) : null
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'date':
      return typeof value === 'string' ? dateCell(value, now) : null
    default:
      return typeof value === 'object' ? jsonText(value) : goFormat(value)
  }
}

/** Cuts a float off as Go does. One that does not fit into an int64 becomes the least int64. */
function wholeOf(value: number | bigint): number | bigint {
  if (typeof value === 'bigint') return value
  const whole = Math.trunc(value)
  return Math.abs(whole) < 2 ** 63 ? integerOf(BigInt(whole)) : LEAST_INT64
}

function dateCell(text: string, now: number): string {
  return Number.isNaN(Date.parse(text)) ? '<invalid>' : ageSince(text, now)
}
