import { similarTo } from '../expressions/index.ts'
import { describe, type Located, onlyEntry, type Problems } from '../source/index.ts'
import type { Predicate } from './spec.ts'

const BASICS = ['GenerationChanged', 'ResourceVersionChanged', 'LabelChanged', 'AnnotationChanged'] as const
const COMBINATIONS = ['And', 'Or', 'Not'] as const
const MAX_DEPTH = 50

export function readPredicate(node: Located, problems: Problems, depth = 0): Predicate | undefined {
  if (depth > MAX_DEPTH) problems.add(node.place, `expected at most ${MAX_DEPTH} levels of predicates`)
  else if (node.kind === 'scalar' && typeof node.value === 'string') {
    return readBasic(node.value, node, problems)
  } else if (node.kind === 'map') return readCombination(node, problems, depth)
  else problems.add(node.place, `predicate: expected a name or a map of one, found ${describe(node)}`)
  return undefined
}

function readBasic(name: string, node: Located, problems: Problems): Predicate | undefined {
  const kind = BASICS.find((known) => known === name)
  if (kind !== undefined) return { kind }
  problems.add(node.place, `there is no predicate ${JSON.stringify(name)}; ${hint(name, BASICS)}`)
  return undefined
}

function readCombination(node: Located, problems: Problems, depth: number): Predicate | undefined {
  const only = onlyEntry(node)
  const kind = COMBINATIONS.find((known) => known === only?.key)
  if (only === undefined || kind === undefined) {
    const found = only === undefined ? describe(node) : JSON.stringify(only.key)
    problems.add(only?.place ?? node.place, `predicate: expected one of And, Or and Not, found ${found}`)
    return undefined
  }
  const { value } = only
  const wanted = value.kind === 'list' ? value.items : [value]
  if (kind === 'Not' ? wanted.length !== 1 : value.kind !== 'list') {
    problems.add(
      value.place,
      `${kind}: expected ${kind === 'Not' ? 'one predicate' : 'a list of predicates'}`,
    )
    return undefined
  }
  const of = wanted.flatMap((item) => readPredicate(item, problems, depth + 1) ?? [])
  const [first] = of
  if (kind !== 'Not') return { kind, of }
  return first === undefined ? undefined : { kind, of: first }
}

function hint(name: string, choices: readonly string[]): string {
  const similar = similarTo(name, choices)
  return similar === undefined ? `expected one of ${choices.join(', ')}` : `did you mean ${similar}?`
}
