import { PatternError, patternOf } from '../../apiextensions/structural/pattern.ts'
import { CelError } from '../errors.ts'
import { type CallNode, childrenOf, type Node } from '../syntax/nodes.ts'
import type { Issue } from '../syntax/source.ts'
import { DYN, formatType, type Type } from '../types/type.ts'
import { parseDuration, parseTimestamp, timestampOf } from '../values/time.ts'
import { formatIssues } from './format-issues.ts'

/** Says what is wrong with a well-typed expression's literals, in the words of cel-go's validators. */
export function literalIssues(
  node: Node,
  types: ReadonlyMap<Node, Type>,
  isExempt = false,
  seen = new Set<Node>(),
): Issue[] {
  if (seen.has(node)) return []
  seen.add(node)
  const exempt = isExempt || (node.kind === 'call' && node.name === 'format')
  return [
    ...ownIssues(node, types, exempt),
    ...childrenOf(node).flatMap((child) => literalIssues(child, types, exempt, seen)),
  ]
}

function ownIssues(node: Node, types: ReadonlyMap<Node, Type>, exempt: boolean): Issue[] {
  switch (node.kind) {
    case 'call':
      return node.name === 'format' ? formatIssues(node, types) : textIssues(node)
    case 'list':
      return exempt ? [] : unlike(node.elements, types)
    case 'map':
      return exempt
        ? []
        : [
            ...unlike(
              node.entries.map(({ key }) => ({ value: key, optional: false })),
              types,
            ),
            ...unlike(node.entries, types),
          ]
    default:
      return []
  }
}

/** Returns elements of a literal that are of another type than the first one. */
function unlike(
  elements: readonly { readonly value: Node; readonly optional: boolean }[],
  types: ReadonlyMap<Node, Type>,
): Issue[] {
  const shown = elements.map(({ value, optional }) => {
    const type = types.get(value) ?? DYN
    const inner = optional && type.kind === 'opaque' ? (type.params[0] ?? DYN) : type
    return { at: value.at, type: formatType(inner) }
  })
  const [first] = shown
  const other = shown.find(({ type }) => type !== first?.type)
  if (!first || !other) return []
  return [{ message: `expected type '${first.type}' but found '${other.type}'`, at: other.at }]
}

function textIssues({ name, args, target }: CallNode): Issue[] {
  const read = READERS[name]
  const last = args.at(-1)
  const isChecked = name === 'matches' ? args.length > 0 : args.length === 1 && !target
  if (!read || !isChecked || last?.kind !== 'constant') return []
  const { value } = last
  if (typeof value !== 'string' && (typeof value !== 'bigint' || name !== 'timestamp')) return []
  try {
    if (typeof value === 'bigint') timestampOf(value * 1_000_000_000n)
    else read(value)
    return []
  } catch (error) {
    if (!(error instanceof CelError) && !(error instanceof PatternError)) throw error
    return [{ message: `invalid ${name} argument`, at: last.at }]
  }
}

const READERS: Readonly<Record<string, ((text: string) => unknown) | undefined>> = {
  matches: patternOf,
  duration: parseDuration,
  timestamp: parseTimestamp,
}
