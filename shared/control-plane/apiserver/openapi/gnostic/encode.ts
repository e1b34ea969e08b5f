import { Document, parse, Scalar } from 'yaml'
import type { JsonObject, JsonValue } from '../../../apimachinery/json/exact-numbers.ts'
import { isObject } from '../../../apimachinery/json/values.ts'
import { newWriter, type Writer } from '../../../apimachinery/protobuf/wire.ts'
import { CHOICES } from './choices.ts'
import { type Field, fieldsOf } from './messages.ts'

/** Columns that go-yaml indents by; it rounds up to a multiple, also behind the dash of an item. */
const STEP = 4

/** Writes a value as go-yaml (gopkg.in/yaml.v3, defaults, block style), with a line break at its end. */
function yamlOf(value: JsonValue): string {
  return `${block(value, 0).trimStart()}\n`
}

/** Writes the lines of a value, each indented; a value that is no block is one line as it is. */
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

/** Encodes an OpenAPI v2 document as the message of gnostic that kube-apiserver sends. */
export function encodeDocumentV2(document: JsonObject): Uint8Array {
  return writeMessage(newWriter(), 'Document', document).finish()
}

function writeMessage(writer: Writer, type: string, value: JsonValue): Writer {
  const choose = CHOICES[type]
  if (choose) {
    const choice = choose(value)
    if (choice) writeValue(writer, choice.number, choice.type, value)
    return writer
  }
  if (type === 'Any') writeValue(writer, 2, 'string', yamlOf(value))
  else if (type === 'StringArray' || type === 'TypeItem') writeMany(writer, 1, 'string', [value].flat())
  else if (type === 'ItemsItem') writeMany(writer, 1, 'Schema', [value].flat())
  else if (isObject(value)) writeFields(writer, fieldsOf(type) ?? [], value)
  return writer
}

function writeFields(writer: Writer, fields: readonly Field[], value: JsonObject): void {
  const isExtensible = fields.some(({ name }) => name === 'x-')
  const isExtension = (name: string): boolean => isExtensible && name.startsWith('x-')
  for (const { name, number, form, type } of fields) {
    if (form === 'named') {
      const members = Object.entries(value).filter(([key]) => isExtension(key) === (name === 'x-'))
      writeNamed(writer, number, type, members)
    } else {
      const member = value[name]
      if (member === undefined || member === null) continue
      if (form === 'many') writeMany(writer, number, type, [member].flat())
      // A scalar that is zero is left out: proto3.
      else if (!isZero(member, type)) writeValue(writer, number, type, member)
    }
  }
}

const SCALARS = new Set(['string', 'bool', 'int', 'double'])

const isZero = (value: JsonValue, type: string): boolean =>
  SCALARS.has(type) && (value === '' || value === 0 || value === false)

function writeNamed(
  writer: Writer,
  number: number,
  type: string,
  members: readonly [string, JsonValue | undefined][],
): void {
  for (const [name, member] of members) {
    if (member === undefined) continue
    writer.uint32(tagOf(number, 2)).fork()
    writeValue(writer, 1, 'string', name)
    writeValue(writer, 2, type, member)
    writer.ldelim()
  }
}

function writeMany(writer: Writer, number: number, type: string, items: readonly JsonValue[]): void {
  for (const item of items) writeValue(writer, number, type, item)
}

function writeValue(writer: Writer, number: number, type: string, value: JsonValue): void {
  switch (type) {
    case 'string':
      writer.uint32(tagOf(number, 2)).string(String(value))
      break
    case 'bool':
      writer.uint32(tagOf(number, 0)).bool(value === true)
      break
    case 'int':
      writer.uint32(tagOf(number, 0)).int64(Number(value))
      break
    case 'double':
      writer.uint32(tagOf(number, 1)).double(Number(value))
      break
    default:
      writeMessage(writer.uint32(tagOf(number, 2)).fork(), type, value).ldelim()
  }
}

const tagOf = (number: number, wireType: number): number => ((number << 3) | wireType) >>> 0
