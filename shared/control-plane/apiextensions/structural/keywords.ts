import { type FieldError, invalidValue, tooLong, tooMany } from '../../apimachinery/errors/field.ts'
import type { JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { isInteger, isNumber, isObject } from '../../apimachinery/json/values.ts'
import { fitsFormat } from './formats.ts'
import type { MatchBudget } from './pattern.ts'
import type { Schema } from './schema.ts'

/** The path that upstream prints where an error has none. */
export const NO_PATH = '<nil>'

function typeNameOf(value: JsonValue): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (isNumber(value)) return isInteger(value) ? 'integer' : 'number'
  return typeof value
}

function typeInvalid(value: string, detail: string, path: string): FieldError {
  return { ...invalidValue(path, value, detail), reason: 'FieldValueTypeInvalid' }
}

/** Reports a value of another type than the schema's. */
export function typeError(value: JsonValue, schema: Schema, path: string): FieldError[] {
  const types = schema.intOrString ? ['integer', 'string'] : [schema.type].filter((type) => type !== '')
  if (types.length === 0) return []
  const actual = typeNameOf(value)
  if (actual === 'null' && schema.nullable) return []
  if (types.includes(actual) || (actual === 'integer' && types.includes('number'))) return []
  const [shown, expected] = formatMismatch(actual, schema) ?? [actual, types.join(',')]
  return [typeInvalid(shown, `${subject(path)} must be of type ${expected}: ${JSON.stringify(shown)}`, path)]
}

/** Returns both formats of a mismatch. Upstream names those of some numbers, and has none for most. */
function formatMismatch(actual: string, { type, limits: { format } }: Schema): [string, string] | undefined {
  if (!numberFormatsOf(type).includes(format)) return undefined
  if (actual === 'number') return ['float64', format]
  return actual === 'boolean' || actual === 'object' ? ['', format] : undefined
}

function numberFormatsOf(type: string): readonly string[] {
  if (type === 'integer') return ['int32', 'int64']
  return type === 'number' ? ['float', 'double'] : []
}

const subject = (path: string): string => `${path} in body`

/** Validates a text by its keywords. Of several errors it returns the first. */
export function stringErrors(
  value: JsonValue,
  schema: Schema,
  path: string,
  budget: MatchBudget,
): FieldError[] {
  if (typeof value !== 'string') return []
  const { format } = schema.limits
  const first = stringError(value, schema, path, budget)
  const isOfFormat = !['', 'string'].includes(schema.type) || format === '' || fitsFormat(value, format)
  return [
    ...(first ? [first] : []),
    ...(isOfFormat
      ? []
      : [typeInvalid(value, `${subject(path)} must be of type ${format}: ${JSON.stringify(value)}`, path)]),
  ]
}

function stringError(
  value: string,
  { limits, pattern }: Schema,
  path: string,
  budget: MatchBudget,
): FieldError | undefined {
  const { minLength, maxLength } = limits
  const length = [...value].length
  if (maxLength !== undefined && length > maxLength) return tooLong(path, maxLength)
  if (minLength !== undefined && length < minLength)
    return invalidValue(path, value, `${subject(path)} should be at least ${minLength} chars long`)
  if (pattern && !pattern.test(value, budget))
    return invalidValue(path, value, `${subject(path)} should match '${pattern.source}'`)
  return undefined
}

interface Limit {
  readonly name: 'MultipleOf' | 'Minimum boundary' | 'Maximum boundary'
  readonly limit: number | undefined
  readonly check: (limit: number) => FieldError[]
}

/**
 * Validates a number. The value and its limits must be of the schema's type. Integers are compared with
 * integers: then the part before the point counts, also in limits of a `number`.
 */
export function numberErrors(value: JsonValue, schema: Schema, path: string): FieldError[] {
  if (!isNumber(value)) return []
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema.limits
  const should = (isWrong: boolean, why: string): FieldError[] =>
    isWrong ? [invalidValue(path, value, `${subject(path)} should be ${why}`)] : []
  const limits: Limit[] = [
    { name: 'MultipleOf', limit: multipleOf, check: (factor) => multipleErrors(value, factor, path) },
    {
      name: 'Minimum boundary',
      limit: minimum,
      check: (least) =>
        exclusiveMinimum
          ? should(value <= least, `greater than ${least}`)
          : should(value < least, `greater than or equal to ${least}`),
    },
    {
      name: 'Maximum boundary',
      limit: maximum,
      check: (most) =>
        exclusiveMaximum
          ? should(value >= most, `less than ${most}`)
          : should(value > most, `less than or equal to ${most}`),
    },
  ]
  const wrongType = rangeErrors(value, 'Checked', schema, path)
  return [...wrongType, ...limits.flatMap((limit) => limitErrors(value, limit, schema, path))]
}

function limitErrors(
  value: number | bigint,
  { name, limit, check }: Limit,
  schema: Schema,
  path: string,
): FieldError[] {
  if (limit === undefined) return []
  const wrongType = rangeErrors(limit, name, schema, path)
  const isNative = wrongType.length === 0 && isInteger(value)
  return [...wrongType, ...check(isNative ? Math.trunc(limit) : limit)]
}

const RANGES: Readonly<Record<string, readonly [least: number, most: number] | undefined>> = {
  'integer int32': [-(2 ** 31), 2 ** 31 - 1],
  'number float': [-3.4028234663852886e38, 3.4028234663852886e38],
}

/** Reports whether upstream writes a number as an int64, not as a float's digits: -2^63 is rounded down. */
const fitsInt64 = (value: number | bigint): boolean =>
  typeof value === 'bigint' || (Number.isInteger(value) && Math.abs(value) < 2 ** 63)

/** Reports a number outside of the schema's type and format. */
function rangeErrors(
  value: number | bigint,
  what: 'Checked' | Limit['name'],
  { type, limits }: Schema,
  path: string,
): FieldError[] {
  const format = numberFormatsOf(type).find((name) => name === limits.format)
  const [least, most] = RANGES[`${type} ${format ?? ''}`] ?? [-Infinity, Infinity]
  if ((type !== 'integer' || fitsInt64(value)) && value >= least && value <= most) return []
  const shown = format === undefined ? '(default format)' : `with format ${format}`
  return [invalidValue(NO_PATH, '', `${what} value must be of type ${type} ${shown} in ${path}`)]
}

function multipleErrors(value: number | bigint, factor: number, path: string): FieldError[] {
  if (factor <= 0)
    return [invalidValue(path, factor, `factor MultipleOf declared for ${path} must be positive: ${factor}`)]
  return isMultiple(value, factor)
    ? []
    : [invalidValue(path, value, `${subject(path)} should be a multiple of ${factor}`)]
}

function isMultiple(value: number | bigint, factor: number): boolean {
  if (!Number.isInteger(factor) || (typeof value === 'number' && !Number.isInteger(value)))
    return Number.isInteger(Number((Number(value) / factor).toPrecision(15)))
  return typeof value === 'bigint' ? value % BigInt(factor) === 0n : value % factor === 0
}

export function itemsErrors(value: JsonValue, { limits }: Schema, path: string): FieldError[] {
  const { minItems, maxItems } = limits
  return Array.isArray(value)
    ? sizeErrors(value.length, { least: minItems, most: maxItems, what: 'items' }, path)
    : []
}

export function propertiesErrors(value: JsonValue, { limits }: Schema, path: string): FieldError[] {
  const { minProperties, maxProperties } = limits
  return isObject(value)
    ? sizeErrors(
        Object.keys(value).length,
        { least: minProperties, most: maxProperties, what: 'properties' },
        path,
      )
    : []
}

interface Size {
  readonly least: number | undefined
  readonly most: number | undefined
  readonly what: string
}

function sizeErrors(size: number, { least, most, what }: Size, path: string): FieldError[] {
  if (least !== undefined && size < least)
    return [invalidValue(path, size, `${subject(path)} should have at least ${least} ${what}`)]
  return most !== undefined && size > most ? [tooMany(path, size, most)] : []
}
