import type { BaseIssue } from 'valibot'

/** Describes an issue whose schema has no message of its own. */
export function describeIssue({ type, input, expected, requirement }: BaseIssue<unknown>): string {
  switch (type) {
    case 'literal':
      return `Invalid input: expected ${expected}`
    case 'picklist':
      return `Invalid option: expected one of ${expected?.replace(/^\((.*)\)$/, '$1').replaceAll(' | ', '|')}`
    case 'unknown_members':
      return unknownText(input as string[])
    case 'name':
      return 'Invalid key in record'
    case 'regex':
      return `Invalid string: must match pattern ${requirement}`
    case 'min_length':
    case 'min_value':
      return `Too small: expected ${sizeOf(input, '>=', requirement)}`
    case 'max_length':
    case 'max_value':
      return `Too big: expected ${sizeOf(input, '<=', requirement)}`
    default:
      return type in NAMES
        ? `Invalid input: expected ${NAMES[type]}, received ${kindOf(input)}`
        : 'Invalid input'
  }
}

/** The types of valibot, as messages name them. */
const NAMES: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  finite: 'number',
  safe_integer: 'int',
  boolean: 'boolean',
  date: 'date',
  array: 'array',
  object: 'object',
  strict_object: 'object',
  loose_object: 'object',
  record: 'record',
}

function unknownText(names: readonly string[]): string {
  return `Unrecognized key${names.length > 1 ? 's' : ''}: ${names.map((name) => `"${name}"`).join(', ')}`
}

function sizeOf(input: unknown, comparison: string, bound: unknown): string {
  const kind = kindOf(input)
  if (kind === 'string') return `string to have ${comparison}${bound} characters`
  return kind === 'array' ? `array to have ${comparison}${bound} items` : `number to be ${comparison}${bound}`
}

function kindOf(input: unknown): string {
  if (input === null) return 'null'
  if (Array.isArray(input)) return 'array'
  return typeof input === 'number' && !Number.isFinite(input) ? String(input) : typeof input
}
