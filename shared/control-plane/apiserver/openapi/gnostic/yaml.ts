import { Document, parse, Scalar } from 'yaml'
import { isObject, type JsonValue } from '../../../apimachinery/json/index.ts'

/** Columns that go-yaml indents by; it rounds up to a multiple, also behind the dash of an item. */
const STEP = 4

/**
 * Writes a value as go-yaml does (gopkg.in/yaml.v3 with its defaults, block style), with the line break at
 * its end.
 */
export function yamlOf(value: JsonValue): string {
  return `${block(value, 0).trimStart()}\n`
}

/**
 * Writes the lines of a value, each of them indented; a value that is no block is one line without
 * indentation.
 */
function block(value: JsonValue, indent: number): string {
  const pad = ' '.repeat(indent)
  if (Array.isArray(value) && value.length > 0) {
    return value.map((item) => `${pad}- ${block(item, indent + 2).trimStart()}`).join('\n')
  }
  if (!isObject(value) || Object.keys(value).length === 0) return scalar(value, indent)
  const members = Object.entries(value).flatMap(([name, member = null]) => {
    const isBlock = typeof member === 'object' && member !== null && Object.keys(member).length > 0
    const inner = next(indent)
    const text = isBlock ? `\n${block(member, inner)}` : ` ${scalar(member, inner)}`
    return `${pad}${scalar(name, 0)}:${text}`
  })
  return members.join('\n')
}

const next = (indent: number): number => STEP * Math.floor((indent + STEP) / STEP)

/** Writes a scalar, with quotes if it needs them; further lines of a text are indented. */
function scalar(value: JsonValue, indent: number): string {
  const document = new Document(value)
  const { contents } = document
  if (contents instanceof Scalar && isMistakable(value)) contents.type = Scalar.QUOTE_DOUBLE
  const text = document.toString({ singleQuote: true, lineWidth: 0 }).replace(/\n$/, '')
  return text.replaceAll('\n', `\n${' '.repeat(indent)}`)
}

/** Reports whether a text would be something else without quotes. Go writes it in double quotes. */
function isMistakable(value: JsonValue): boolean {
  if (typeof value !== 'string' || value === '-' || !/^[\w.~+-]*$/.test(value)) return false
  return /^\d{4}-\d/.test(value) || typeof parse(value) !== 'string'
}
