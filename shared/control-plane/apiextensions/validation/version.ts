import type { Field } from '../../apimachinery/validation/field.ts'
import type { SchemaTools } from '../schema-tools.ts'
import { validateVersionSchema } from './schema/version-schema.ts'
import { validateSelectableFields } from './selectable-fields.ts'

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string']
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']

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
