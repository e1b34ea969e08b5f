import { Cursor } from './cursor.ts'
import { parseFilter } from './parse-filter.ts'
import type { Path, Segment } from './path.ts'

/** Names after a dot; all others need brackets and quotes: `$["a-b"]`. The signs are those of ojg v1.26. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: everything outside of ASCII is a letter here
const DOT_NAME = /(?:[A-Za-z0-9#%:;?^_{|}~]|[^\x00-\x7f])+/y

/**
 * Reads a JSONPath: `$`, then `.name`, `["name"]`, `[0]`, `[-1]`, `.*`, `..name`, `[1:3]`, `['a','b']` and `[?(@.x == 1)]`.
 * `$.` is the root, as `$` is.
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
export function parseSegments(cursor: Cursor, depth: number): Path {
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
