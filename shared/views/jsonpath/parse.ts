import type { Json } from '../json/index.ts'
import { Cursor } from './cursor.ts'
import type { Comparison, Filter, Operand, Path, Segment } from './path.ts'

/** Names after a dot; all others need brackets and quotes: `$["a-b"]`. The signs are those of ojg v1.26. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: everything outside of ASCII is a letter here
const DOT_NAME = /(?:[A-Za-z0-9#%:;?^_{|}~]|[^\x00-\x7f])+/y

/**
 * Reads a JSONPath: `$`, then `.name`, `["name"]`, `[0]`, `[-1]`, `.*`, `..name`, `[1:3]`, `['a','b']` and
 * `[?(@.x == 1)]`. `$.` is the root, as `$` is.
 * @param position where the root's sign `$` stands
 * @throws PathError where it cannot be read
 */
export function parsePath(text: string, position = 0): Path {
  const cursor = new Cursor(text, position)
  cursor.position++
  if (cursor.text.length === cursor.position + 1 && cursor.peek() === '.') return []
  const path = parseSegments(cursor, 0)
  if (!cursor.done) throw cursor.error('expected . or [')
  return path
}

/** @param depth of filters within filters */
function parseSegments(cursor: Cursor, depth: number): Path {
  const path: Segment[] = []
  for (;;) {
    if (cursor.take('..')) {
      path.push({ kind: 'descent' })
      path.push(cursor.peek() === '[' ? parseBracket(cursor, depth) : parseName(cursor))
    } else if (cursor.take('.')) path.push(parseName(cursor))
    else if (cursor.peek() === '[') path.push(parseBracket(cursor, depth))
    else return path
  }
}

function parseName(cursor: Cursor): Segment {
  if (cursor.take('*')) return { kind: 'wildcard' }
  const name = cursor.match(DOT_NAME)
  if (name !== undefined) return { kind: 'child', name }
  throw cursor.error('expected a name; names with other signs are written ["…"]')
}

function parseBracket(cursor: Cursor, depth: number): Segment {
  cursor.expect('[', '')
  cursor.skipSpace()
  const segment = parseSelection(cursor, depth)
  cursor.expect(']', 'at the end of a selection')
  return segment
}

function parseSelection(cursor: Cursor, depth: number): Segment {
  if (cursor.take('*')) return { kind: 'wildcard' }
  if (cursor.take('?')) return { kind: 'filter', test: parseFilter(cursor, depth + 1) }
  const slice = parseSlice(cursor)
  if (slice !== undefined) return slice
  const members: (string | number)[] = []
  do {
    cursor.skipSpace()
    members.push(parseMember(cursor))
    cursor.skipSpace()
  } while (cursor.take(','))
  const [first] = members
  if (members.length > 1 || first === undefined) return { kind: 'union', members }
  return typeof first === 'string' ? { kind: 'child', name: first } : { kind: 'index', index: first }
}

function parseMember(cursor: Cursor): string | number {
  if (cursor.peek() === "'" || cursor.peek() === '"') return cursor.quoted()
  const digits = cursor.match(/-?\d{1,15}/y)
  if (digits !== undefined) return Number(digits)
  throw cursor.error('expected an index, a name in quotes, * or ?(…)')
}

function parseSlice(cursor: Cursor): Segment | undefined {
  const text = cursor.match(/(?:-?\d{1,15})?:(?:-?\d{1,15})?(?::(?:-?\d{1,15})?)?/y)
  if (text === undefined) return undefined
  const [start, end, step = 1] = text.split(':').map((part) => (part === '' ? undefined : Number(part)))
  if (step === 0) throw cursor.error('expected a step other than 0')
  return { kind: 'slice', ...(start !== undefined && { start }), ...(end !== undefined && { end }), step }
}

/** Maximum nesting of filters, parentheses and lists: the parser uses the call stack. */
const MAX_DEPTH = 30

/** Reads the condition of `[?(…)]`, from the sign after the question mark. */
function parseFilter(cursor: Cursor, depth: number): Filter {
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
