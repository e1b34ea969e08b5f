import type { Json } from '../json/index.ts'
import type { Cursor } from './cursor.ts'
import { parseSegments } from './parse.ts'
import type { Comparison, Filter, Operand } from './path.ts'

/** Filters, parentheses and lists within each other; nobody writes more, and a parser has a stack. */
const MAX_DEPTH = 30

/** Reads the condition of `[?(…)]`, from the sign after the question mark. */
export function parseFilter(cursor: Cursor, depth: number): Filter {
  if (depth > MAX_DEPTH) throw cursor.error(`expected at most ${MAX_DEPTH} levels of nesting`)
  let left = parseAnd(cursor, depth)
  for (cursor.skipSpace(); cursor.take('||'); cursor.skipSpace()) {
    left = { kind: 'or', left, right: parseAnd(cursor, depth) }
  }
  return left
}

function parseAnd(cursor: Cursor, depth: number): Filter {
  let left = parseNot(cursor, depth)
  for (cursor.skipSpace(); cursor.take('&&'); cursor.skipSpace()) {
    left = { kind: 'and', left, right: parseNot(cursor, depth) }
  }
  return left
}

function parseNot(cursor: Cursor, depth: number): Filter {
  if (depth > MAX_DEPTH) throw cursor.error(`expected at most ${MAX_DEPTH} levels of nesting`)
  cursor.skipSpace()
  if (cursor.take('!')) return { kind: 'not', of: parseNot(cursor, depth + 1) }
  if (!cursor.take('(')) return parseComparison(cursor, depth)
  const inner = parseFilter(cursor, depth + 1)
  cursor.expect(')', 'at the end of a condition')
  return inner
}

const COMPARISON = /==|!=|<=|>=|<|>|(?:in|has|exists|empty)\b/y

function parseComparison(cursor: Cursor, depth: number): Filter {
  const left = parseOperand(cursor, depth)
  cursor.skipSpace()
  const operator = cursor.match(COMPARISON)
  if (operator === undefined) return { kind: 'test', operand: left }
  return { kind: 'compare', operator: operator as Comparison, left, right: parseOperand(cursor, depth) }
}

function parseOperand(cursor: Cursor, depth: number): Operand {
  cursor.skipSpace()
  const from = cursor.peek()
  if (from === '@' || from === '$') {
    cursor.position++
    return { kind: 'path', from, path: parseSegments(cursor, depth) }
  }
  const call = cursor.match(/(?:length|count)\(/y)
  if (call === undefined) return { kind: 'literal', value: parseLiteral(cursor, depth) }
  const of = parseOperand(cursor, depth + 1)
  cursor.expect(')', 'at the end of a call')
  return { kind: call === 'length(' ? 'length' : 'count', of }
}

const WORDS: ReadonlyMap<string, Json> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
])

function parseLiteral(cursor: Cursor, depth: number): Json {
  cursor.skipSpace()
  if (cursor.peek() === "'" || cursor.peek() === '"') return cursor.quoted()
  if (cursor.peek() === '[') return parseList(cursor, depth + 1)
  const number = cursor.match(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y)
  if (number !== undefined) return Number(number)
  const word = WORDS.get(cursor.match(/[a-z]+/y) ?? '')
  if (word !== undefined) return word
  throw cursor.error('expected @, $, a number, a text in quotes, true, false, null or a list')
}

function parseList(cursor: Cursor, depth: number): Json {
  if (depth > MAX_DEPTH) throw cursor.error(`expected at most ${MAX_DEPTH} levels of nesting`)
  cursor.take('[')
  const items: Json[] = []
  cursor.skipSpace()
  if (cursor.take(']')) return items
  do {
    items.push(parseLiteral(cursor, depth))
    cursor.skipSpace()
  } while (cursor.take(','))
  cursor.expect(']', 'at the end of a list')
  return items
}
