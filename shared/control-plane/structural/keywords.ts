import { type FieldError, invalidValue, tooLong, tooMany } from '../errors/index.ts'
import { isObject, type JsonValue } from '../json.ts'
import { fitsFormat } from './formats.ts'
import type { MatchBudget } from './pattern.ts'
import type { Limits, Schema } from './schema.ts'

/** The path that upstream prints where an error has none. */
export const NO_PATH = '<nil>'

function typeNameOf(value: JsonValue): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

function typeInvalid(value: string, detail: string, path: string): FieldError {
  return { ...invalidValue(path || NO_PATH, value, detail), reason: 'FieldValueTypeInvalid' }
}

/** A value of another type than the schema's. */
export function typeError(value: JsonValue, schema: Schema, path: string): FieldError[] {
  const types = schema.intOrString ? ['integer', 'string'] : [schema.type].filter((type) => type !== '')
  if (types.length === 0) return []
  const actual = typeNameOf(value)
  if (actual === 'null' && schema.nullable) return []
  if (types.includes(actual) || (actual === 'integer' && types.includes('number'))) return []
  const expected = types.join(',')
  return [
    typeInvalid(actual, `${subject(path)} must be of type ${expected}: ${JSON.stringify(actual)}`, path),
  ]
}

const subject = (path: string): string => (path === '' ? ' in body' : `${path} in body`)

/** Everything that a keyword says of a value by itself, in upstream's order and words. */
export function keywordErrors(
  value: JsonValue,
  schema: Schema,
  path: string,
  budget: MatchBudget,
): FieldError[] {
  if (typeof value === 'string') return stringErrors(value, schema, path, budget)
  if (typeof value === 'number') return numberErrors(value, schema.limits, path)
  if (Array.isArray(value)) {
    const { minItems, maxItems } = schema.limits
    return sizeErrors(value.length, { least: minItems, most: maxItems, what: 'items' }, path)
  }
  if (!isObject(value)) return []
  const { minProperties, maxProperties } = schema.limits
  const size = Object.keys(value).length
  return sizeErrors(size, { least: minProperties, most: maxProperties, what: 'properties' }, path)
}

function stringErrors(value: string, schema: Schema, path: string, budget: MatchBudget): FieldError[] {
  const { minLength, maxLength, format } = schema.limits
  const length = [...value].length
  if (maxLength !== undefined && length > maxLength) return [tooLong(path, maxLength)]
  const errors: FieldError[] = []
  if (minLength !== undefined && length < minLength)
    errors.push(invalidValue(path, value, `${subject(path)} should be at least ${minLength} chars long`))
  if (schema.pattern && !schema.pattern.test(value, budget))
    errors.push(invalidValue(path, value, `${subject(path)} should match '${schema.pattern.source}'`))
  if (format !== '' && (schema.type === 'string' || schema.type === '') && !fitsFormat(value, format))
    errors.push(
      typeInvalid(value, `${subject(path)} must be of type ${format}: ${JSON.stringify(value)}`, path),
    )
  return errors
}

function numberErrors(value: number, limits: Limits, path: string): FieldError[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = limits
  const errors: FieldError[] = []
  const refuse = (why: string): void => {
    errors.push(invalidValue(path, value, `${subject(path)} should be ${why}`))
  }
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) refuse(`a multiple of ${multipleOf}`)
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum))
    refuse(`less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`)
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum))
    refuse(`greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`)
  return errors
}

function isMultiple(value: number, factor: number): boolean {
  const times = value / factor
  return factor > 0 && Number.isInteger(Number(times.toPrecision(15)))
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
