import { EvaluationError } from '../errors.ts'
import { excerpt, isList, type Json, type JsonList } from '../json/index.ts'

/** Makes the error for a value that an operator cannot take. */
export const wrong = (operator: string, expected: string, found: Json): EvaluationError =>
  new EvaluationError(`${operator}: expected ${expected}, found ${excerpt(found)}`)

export function toBoolean(operator: string, value: Json): boolean {
  if (typeof value === 'boolean') return value
  throw wrong(operator, 'true or false', value)
}

export function toList(operator: string, value: Json): JsonList {
  if (isList(value)) return value
  throw wrong(operator, 'a list', value)
}

/** Takes two arguments out of one list. */
export function toPair(operator: string, value: Json): readonly [Json, Json] {
  const [left, right, ...more] = toList(operator, value)
  if (left !== undefined && right !== undefined && more.length === 0) return [left, right]
  throw wrong(operator, 'a list of 2 arguments', value)
}

const INTEGER = /^[+-]?\d+$/
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/** Converts an integer, or a text of decimal digits, to an integer. */
export function toInteger(operator: string, value: Json): number {
  const number = typeof value === 'string' && INTEGER.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isInteger(number)) return number
  throw wrong(operator, 'an integer', value)
}

/** Numbers, and texts of one. */
export function toNumber(operator: string, value: Json): number {
  const number = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isFinite(number)) return number
  throw wrong(operator, 'a number', value)
}

/** Converts a text, or a number as JSON writes it, to a text. */
export function toText(operator: string, value: Json): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return JSON.stringify(value)
  throw wrong(operator, 'a text or a number', value)
}

/** Returns the result of an arithmetic operation if it is finite, as JSON has no infinity. */
export function finite(operator: string, value: number): number {
  if (Number.isFinite(value)) return value
  throw new EvaluationError(`${operator}: the result is not a finite number`)
}
