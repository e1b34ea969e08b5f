import { type FieldError, invalidValue, required } from '../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, objectsAt, stringAt } from '../../apimachinery/json/values.ts'
import type { SchemaTools } from '../schema-tools.ts'
import { versionSchemaErrors } from './schema/version-schema.ts'
import { selectableFieldErrors } from './selectable-fields.ts'

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string']
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']

/** Paths of the parts of a version; undefined for a part that another version has reported. */
export interface VersionPlaces {
  readonly at: string
  readonly schema: string | undefined
  /** True for a schema that the definition has already. */
  readonly schemaIsStored: boolean
  readonly subresources: string | undefined
  readonly additionalPrinterColumns: string | undefined
  readonly selectableFields: string | undefined
}

/** Validates one of `spec.versions`. */
export function versionErrors(version: JsonObject, places: VersionPlaces, tools: SchemaTools): FieldError[] {
  const subresources = objectAt(version, 'subresources')
  const { scale } = subresources
  const hasStatus = isObject(subresources.status)
  const schema = objectAt(version, 'schema').openAPIV3Schema
  const { schema: schemaAt, schemaIsStored: isStored, additionalPrinterColumns: columnsAt } = places
  return [
    ...(isObject(schema) && schemaAt
      ? versionSchemaErrors(schema, `${schemaAt}.openAPIV3Schema`, { hasStatus, isStored, tools })
      : []),
    ...(isObject(scale) && places.subresources ? scaleErrors(scale, `${places.subresources}.scale`) : []),
    ...objectsAt(version, 'additionalPrinterColumns').flatMap((column, index) =>
      columnsAt ? columnErrors(column, `${columnsAt}[${index}]`) : [],
    ),
    ...fieldErrors(version, places),
  ]
}

/** Validates selectable fields. Upstream finds no schema for those of one version if all share one. */
function fieldErrors(
  version: JsonObject,
  { at, schema: schemaAt, selectableFields }: VersionPlaces,
): FieldError[] {
  const fields = objectsAt(version, 'selectableFields')
  const schema = objectAt(version, 'schema').openAPIV3Schema
  if (!isObject(schema) || !selectableFields || fields.length === 0) return []
  const isApart = selectableFields.startsWith(at) && !schemaAt?.startsWith(at)
  return isApart
    ? [
        invalidValue(
          selectableFields,
          '',
          'may only be set when `version.schema.openAPIV3Schema` is not included',
        ),
      ]
    : selectableFieldErrors(fields, schema, selectableFields)
}

function scaleErrors(scale: JsonObject, at: string): FieldError[] {
  const path = (member: string, roots: readonly string[], where: string): FieldError[] => {
    const value = stringAt(scale, member)
    const field = `${at}.${member}`
    if (value === '') return [required(field)]
    if (!value.startsWith('.'))
      return [invalidValue(field, value, 'must be a simple json path starting with .')]
    return roots.some((root) => value.startsWith(root))
      ? []
      : [invalidValue(field, value, `should be a json path under ${where}`)]
  }
  return [
    ...path('specReplicasPath', ['.spec.'], '.spec'),
    ...path('statusReplicasPath', ['.status.'], '.status'),
    ...(stringAt(scale, 'labelSelectorPath') === ''
      ? []
      : path('labelSelectorPath', ['.spec.', '.status.'], 'either .spec or .status')),
  ]
}

function columnErrors(column: JsonObject, at: string): FieldError[] {
  const [type, format, path] = ['type', 'format', 'jsonPath'].map((member) => stringAt(column, member))
  const types = `must be one of ${COLUMN_TYPES.join(',')}`
  return [
    ...(stringAt(column, 'name') === '' ? [required(`${at}.name`)] : []),
    ...(type === '' ? [required(`${at}.type`, types)] : []),
    ...(type && !COLUMN_TYPES.includes(type) ? [invalidValue(`${at}.type`, type, types)] : []),
    ...(format && !COLUMN_FORMATS.includes(format)
      ? [invalidValue(`${at}.format`, format, `must be one of ${COLUMN_FORMATS.join(',')}`)]
      : []),
    ...(path === '' ? [required(`${at}.JSONPath`)] : []),
    ...(path && !path.startsWith('.')
      ? [invalidValue(`${at}.JSONPath`, path, 'must be a simple json path starting with .')]
      : []),
  ]
}
