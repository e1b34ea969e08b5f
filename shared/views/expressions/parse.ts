import { PathError } from '../errors.ts'
import { type Path, parsePath } from '../jsonpath/index.ts'
import type { Located, LocatedEntry, LocatedMap, Place, Problems } from '../source/index.ts'
import { onlyEntry } from '../source/index.ts'
import type { Expression, MapEntry, PathExpression } from './expression.ts'
import { OPERATORS, similarTo } from './operators.ts'

/** Maximum nesting of expressions: their parser and evaluation use the call stack. */
const MAX_DEPTH = 100
const NOTHING: Expression = { kind: 'literal', value: null }

interface Context {
  readonly problems: Problems
  /** Whether `$$` has a meaning here. */
  readonly hasElement: boolean
  readonly depth: number
}

/**
 * Reads an expression as it stands in a spec, and adds what is wrong with it to the problems:
 * 1. a text that begins with `$` is a JSONPath, `@now` the time, any other text itself;
 * 2. a map with one key that begins with `@` calls an operator, any other map is a literal, whose keys may be
 *    paths;
 * 3. the elements of a list are expressions.
 */
export function parseExpression(node: Located, problems: Problems): Expression {
  return parse(node, { problems, hasElement: false, depth: 0 })
}

function parse(node: Located, context: Context): Expression {
  if (context.depth > MAX_DEPTH) {
    context.problems.add(node.place, `expected at most ${MAX_DEPTH} levels of expressions`)
    return NOTHING
  }
  const inner = { ...context, depth: context.depth + 1 }
  if (node.kind === 'list') return { kind: 'list', items: node.items.map((item) => parse(item, inner)) }
  if (node.kind === 'map') return parseMap(node, inner)
  if (typeof node.value === 'string') return parseText(node.value, node.place, context)
  return { kind: 'literal', value: node.value }
}

function parseText(text: string, place: Place, context: Context): Expression {
  if (text === '@now') return { kind: 'now' }
  if (!text.startsWith('$')) return { kind: 'literal', value: text }
  const from = text.startsWith('$$') ? '$$' : '$'
  const path = readPath(text, from, place, context.problems)
  if (path === undefined) return NOTHING
  if (from === '$$' && !context.hasElement) {
    // Alone it is the whole object outside of list operators, as in Δ-controller.
    if (path.length === 0) return { kind: 'path', from: '$', path, text }
    context.problems.add(
      place,
      `${text}: $$ has a meaning only in @map, @filter, @any, @all and @none; expected $`,
    )
  }
  return { kind: 'path', from, path, text }
}

function readPath(text: string, from: string, place: Place, problems: Problems): Path | undefined {
  try {
    return parsePath(text, from.length - 1)
  } catch (error) {
    if (!(error instanceof PathError)) throw error
    problems.add(place, `JSONPath ${JSON.stringify(text.slice(0, 200))} cannot be read: ${error.message}`)
    return undefined
  }
}

function parseMap(node: LocatedMap, context: Context): Expression {
  const only = onlyEntry(node)
  if (only?.key.startsWith('@')) return parseCall(only, context)
  return { kind: 'map', entries: node.entries.flatMap((entry) => parseEntry(entry, context)) }
}

function parseCall({ key, place, value }: LocatedEntry, context: Context): Expression {
  const operator = OPERATORS.get(key)
  if (operator === undefined) {
    const similar = similarTo(key)
    const hint =
      similar === undefined
        ? `expected one of ${[...OPERATORS.keys()].join(', ')}`
        : `did you mean ${similar}?`
    context.problems.add(place, `there is no operator ${key}; ${hint}`)
    return NOTHING
  }
  if (key === '@noop') return { kind: 'call', operator: key, argument: NOTHING }
  const argument = operator.bindsElement ? parsePerElement(value, context) : parse(value, context)
  const wrong = operator.check?.(argument)
  if (wrong !== undefined) context.problems.add(value.place, `${key}: ${wrong}`)
  return { kind: 'call', operator: key, argument }
}

/** Parses the arguments of a list operator. Only the first one is evaluated on the elements. */
function parsePerElement(node: Located, context: Context): Expression {
  if (node.kind !== 'list') return parse(node, context)
  const items = node.items.map((item, index) =>
    parse(item, { ...context, hasElement: context.hasElement || index === 0 }),
  )
  return { kind: 'list', items }
}

function parseEntry({ key, place, value }: LocatedEntry, context: Context): MapEntry[] {
  const parsed = parse(value, context)
  if (!key.startsWith('$')) return [{ key, value: parsed }]
  const path = key === '$' || key.startsWith('$$') ? undefined : readPath(key, '$', place, context.problems)
  if (key === '$' || key.startsWith('$$')) {
    context.problems.add(
      place,
      `the key ${key} sets nothing; expected "$." or a path from the new object, such as $.metadata.name`,
    )
  } else if (path?.some(({ kind }) => kind === 'descent')) {
    context.problems.add(
      place,
      `the key ${key} holds .., at which nothing can be set; expected an exact path`,
    )
  } else if (path !== undefined) return [{ key: path, value: parsed }]
  return []
}

/** Parses a text that must be a path from the current object, such as that of `@unwind`. */
export function parsePathText(node: Located, problems: Problems): PathExpression | undefined {
  const parsed = parseExpression(node, problems)
  return parsed.kind === 'path' && parsed.from === '$' ? parsed : undefined
}
