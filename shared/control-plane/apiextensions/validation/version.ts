import { tooMany } from '../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, stringAt } from '../../apimachinery/json/values.ts'
import type { Field } from '../../apimachinery/validation/field.ts'
import type { SchemaTools } from '../schema-tools.ts'
import { validateVersionSchema } from './schema/version-schema.ts'

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string']
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']

const MOST_SELECTABLE = 8
const SELECTABLE_TYPES = new Set(['string', 'boolean', 'integer'])

/** Parts of a version; undefined for a part whose errors another version has reported. */
export interface VersionParts {
  /** True for a schema that the definition has already. */
  readonly schemaIsStored: boolean
  readonly schema: Field | undefined
  readonly subresources: Field | undefined
  readonly additionalPrinterColumns: Field | undefined
  readonly selectableFields: Field | undefined
}

/** Validates one of `spec.versions`. */
export function validateVersion(version: Field, parts: VersionParts, tools: SchemaTools): void {
  const hasStatus = version.child('subresources', 'status').ifObject !== undefined
  const schema = parts.schema?.child('openAPIV3Schema').ifObject
  const scale = parts.subresources?.child('scale').ifObject
  if (schema) validateVersionSchema(schema, { hasStatus, isStored: parts.schemaIsStored, tools })
  if (scale) validateScale(scale)
  for (const column of parts.additionalPrinterColumns?.items() ?? []) validateColumn(column)
  validateFields(version, parts)
}

/** Validates selectable fields. Upstream finds no schema for those of one version if all share one. */
function validateFields(version: Field, { schema, selectableFields: fields }: VersionParts): void {
  const declared = version.child('schema', 'openAPIV3Schema')
  if (!declared.ifObject || !fields || fields.list.length === 0) return
  if (fields.path.startsWith(version.path) && !schema?.path.startsWith(version.path))
    fields.invalid('may only be set when `version.schema.openAPIV3Schema` is not included', '')
  else validateSelectableFields(fields, declared.object)
}

/** Validates the `selectableFields` of a version (KEP-4358). */
function validateSelectableFields(fields: Field, schema: JsonObject): void {
  const seen = new Set<string>()
  for (const path of fields.items().map((field) => field.child('jsonPath'))) {
    validateSelectablePath(path, schema)
    path.with(path.text).unique(seen)
  }
  if (seen.size > MOST_SELECTABLE) fields.errors.push(tooMany(fields.path, seen.size, MOST_SELECTABLE))
}

function validateSelectablePath(path: Field, schema: JsonObject): void {
  const { text } = path
  if (!path.notEmpty()) return
  const found = schemaAt(text.slice(1).split('.'), schema)
  if (!text.startsWith('.')) path.invalid(`is an invalid path: expected [ or . but got: ${text}`)
  else if (text.includes('[')) path.invalid('is an invalid path: array notation is not allowed')
  else if (!found) path.invalid('is an invalid path: does not refer to a valid field')
  else {
    if (text.startsWith('.metadata')) path.invalid('must not point to fields in metadata')
    if (!SELECTABLE_TYPES.has(stringAt(found, 'type')))
      path.invalid(
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
      )
  }
}

function schemaAt([name, ...rest]: readonly string[], schema: JsonObject): JsonObject | undefined {
  if (name === undefined) return schema
  const properties = objectAt(schema, 'properties')
  const next = Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties
  return isObject(next) ? schemaAt(rest, next) : undefined
}

function validateScale(scale: Field): void {
  validateScalePath(scale.child('specReplicasPath'), ['.spec.'], '.spec')
  validateScalePath(scale.child('statusReplicasPath'), ['.status.'], '.status')
  const labels = scale.child('labelSelectorPath').ifFilled
  if (labels) validateScalePath(labels, ['.spec.', '.status.'], 'either .spec or .status')
}

function validateScalePath(path: Field, roots: readonly string[], where: string): void {
  if (!path.notEmpty()) return
  if (!path.text.startsWith('.')) path.invalid('must be a simple json path starting with .')
  else if (!roots.some((root) => path.text.startsWith(root)))
    path.invalid(`should be a json path under ${where}`)
}

function validateColumn(column: Field): void {
  const [type, format] = [column.child('type'), column.child('format')]
  const path = column.child('jsonPath').as(`${column.path}.JSONPath`)
  const types = `must be one of ${COLUMN_TYPES.join(',')}`
  column.child('name').notEmpty()
  if (type.notEmpty(types) && !COLUMN_TYPES.includes(type.text)) type.invalid(types)
  if (!COLUMN_FORMATS.includes(format.text))
    format.ifFilled?.invalid(`must be one of ${COLUMN_FORMATS.join(',')}`)
  if (path.notEmpty() && !path.text.startsWith('.'))
    path.invalid('must be a simple json path starting with .')
}
