import type { JsonObject, JsonValue } from '../../../apimachinery/json/exact-numbers.ts'
import { goFloat } from '../../../apimachinery/json/go-number.ts'
import { isObject } from '../../../apimachinery/json/values.ts'
import { type ScalarPlace, scalarText } from './yaml-scalars.ts'

/** Writes JSON as kube-apiserver's YAML 1.1: members in order, lists not indented, long texts folded. */
export function toYaml(value: JsonValue): string {
  return `${node(value, 0, 0)}\n`
}

/** @param column where the text will stand @param indent of the lines below */
function node(value: JsonValue, indent: number, column: number): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : list(value, indent)
  if (isObject(value)) return Object.keys(value).length === 0 ? '{}' : map(value, indent)
  return scalar(value, { column, indent: indent + 2, isKey: false })
}

function map(value: JsonObject, indent: number): string {
  const lines = Object.keys(value)
    .sort(compareKeys)
    .flatMap((name) => {
      const member = value[name]
      if (member === undefined) return []
      const key = `${scalar(name, { column: indent, indent, isKey: true })}:`
      const below = isBlock(member)
      if (!below) return [`${key} ${node(member, indent, indent + key.length + 1)}`]
      const inner = Array.isArray(member) ? indent : indent + 2
      return [`${key}\n${' '.repeat(inner)}${node(member, inner, inner)}`]
    })
  return lines.join(`\n${' '.repeat(indent)}`)
}

function list(items: readonly JsonValue[], indent: number): string {
  const shown = items.map((item) => `- ${node(item, isBlock(item) ? indent + 2 : indent, indent + 2)}`)
  return shown.join(`\n${' '.repeat(indent)}`)
}

/** Reports whether a value begins on a line of its own. */
function isBlock(value: JsonValue): boolean {
  return Array.isArray(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0
}

function scalar(value: JsonValue, place: ScalarPlace): string {
  if (typeof value === 'string') return scalarText(value, place)
  return typeof value === 'number' ? numberText(value) : String(value)
}

/** Writes a number. An integer that does not fit into 64 bits, with a sign or without, is a float. */
function numberText(value: number): string {
  const isLarge = Number.isInteger(value) && (value <= -(2 ** 63) || value >= 2 ** 64)
  return isLarge ? goFloat(value) : String(value)
}

const isLetter = (rune: string): boolean => /\p{L}/u.test(rune)
const isDigit = (rune: string): boolean => /\p{Nd}/u.test(rune)

/** Compares members by their order in YAML: numbers within names as numbers, letters last (keyList). */
function compareKeys(a: string, b: string): number {
  const left = [...a]
  const right = [...b]
  const at = left.findIndex((rune, index) => rune !== right[index])
  if (at < 0 || at >= right.length) return left.length - right.length
  const [one = '', other = ''] = [left[at], right[at]]
  const letters = [isLetter(one), isLetter(other)]
  if (letters[0] && letters[1]) return order(one, other)
  if (letters[0] || letters[1]) {
    const afterDigit = at > 0 && isDigit(left[at - 1] ?? '')
    return letters[0] === afterDigit ? -1 : 1
  }
  return compareNumbers(left.slice(at), right.slice(at)) || order(one, other)
}

function compareNumbers(left: readonly string[], right: readonly string[]): number {
  const [a, b] = [digitsOf(left), digitsOf(right)]
  return Number(a || '0') - Number(b || '0') || a.length - b.length
}

function digitsOf(runes: readonly string[]): string {
  const end = runes.findIndex((rune) => !isDigit(rune))
  return runes.slice(0, end < 0 ? runes.length : end).join('')
}

function order(a: string, b: string): number {
  return (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0)
}
