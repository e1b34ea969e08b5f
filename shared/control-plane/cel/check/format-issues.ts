import { CelError } from '../errors.ts'
import { countClauses, refusalOf, replaceClauses, type Verb } from '../library/index.ts'
import type { CallNode, Node } from '../syntax/nodes.ts'
import type { Issue } from '../syntax/source.ts'
import { DYN, formatType, type Type } from '../types/type.ts'

type Types = ReadonlyMap<Node, Type>

/** Types that each clause shows, by name. Texts may be shown in place of numbers that are not finite. */
const ACCEPTED: Readonly<Record<Verb, readonly string[]>> = {
  s: 'list map int uint double bool string timestamp bytes duration type null_type'.split(' '),
  d: ['int', 'uint'],
  f: ['double', 'string'],
  e: ['double', 'string'],
  b: ['int', 'uint', 'bool'],
  o: ['int', 'uint'],
  x: ['int', 'uint', 'string', 'bytes'],
  X: ['int', 'uint', 'string', 'bytes'],
}

/** Says what is wrong with a call of `format`, as far as its text and arguments are literals. */
export function formatIssues({ target, args: [list], at }: CallNode, types: Types): Issue[] {
  if (target?.kind !== 'constant' || typeof target.value !== 'string' || list?.kind !== 'list') return []
  const { elements } = list
  let wrong: Issue | undefined
  try {
    replaceClauses(target.value, elements.length, ({ verb, index }) => {
      const node = elements[index]?.value
      wrong ??= node && issueOf(verb, node, types)
      return ''
    })
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    return [wrong ?? { message: error.message, at }]
  }
  if (wrong) return [wrong]
  const expected = countClauses(target.value)
  if (elements.length <= expected) return []
  const counts = `(expected ${expected}, got ${elements.length})`
  return [{ message: `too many arguments supplied to string.format ${counts}`, at }]
}

function issueOf(verb: Verb, node: Node, types: Types): Issue | undefined {
  const unfit = verb === 's' ? unfitWithin(node, types) : unfitItself(verb, node, types)
  return unfit && { message: refusalOf(verb, nameOf(types.get(unfit) ?? DYN)), at: unfit.at }
}

const unfitItself = (verb: Verb, node: Node, types: Types): Node | undefined => {
  const type = types.get(node) ?? DYN
  return type.kind === 'dyn' || ACCEPTED[verb].includes(shortName(type)) ? undefined : node
}

/** Returns the first part of a literal that cannot be shown, or the literal. */
function unfitWithin(node: Node, types: Types): Node | undefined {
  const unfit = unfitItself('s', node, types)
  if (unfit) return unfit
  for (const part of partsOf(node)) {
    const within = unfitWithin(part, types)
    if (within) return within
  }
  return undefined
}

function partsOf(node: Node): Node[] {
  if (node.kind === 'list') return node.elements.map(({ value }) => value)
  return node.kind === 'map' ? node.entries.flatMap(({ key, value }) => [key, value]) : []
}

/** Formats a type without its parameters. */
function shortName(type: Type): string {
  if (type.kind === 'null') return 'null_type'
  return formatType(type).split('(', 1)[0] ?? ''
}

/** Formats a type as errors of cel-go name it. */
function nameOf(type: Type): string {
  const name = shortName(type)
  if (name === 'timestamp') return 'google.protobuf.Timestamp'
  return name === 'duration' ? 'google.protobuf.Duration' : name
}
