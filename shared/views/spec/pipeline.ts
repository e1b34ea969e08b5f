import { isDeepStrictEqual } from 'node:util'
import { parseExpression, parsePathText, similarTo } from '../expressions/index.ts'
import { parsePath } from '../jsonpath/index.ts'
import { describe, type Located, type LocatedEntry, onlyEntry, type Problems } from '../source/index.ts'
import type { GatherSpec, JoinSpec, PipelineSpec, StepSpec } from './spec.ts'

const OPS = ['@join', '@select', '@project', '@unwind', '@demux', '@gather', '@mux']

/**
 * Reads a pipeline in either form: a list of steps (or a single one), of which the first may be `@join`;
 * or `{"@join": condition, "@aggregate": steps}`, each optional.
 */
export function readPipeline(node: Located | undefined, problems: Problems): PipelineSpec {
  let join: JoinSpec | undefined
  const steps: StepSpec[] = []
  for (const [index, item] of flatSteps(node).entries()) {
    const only = onlyEntry(item)
    if (only === undefined)
      problems.add(item.place, `expected a step, a map with one key, found ${describe(item)}`)
    else if (only.key !== '@join') steps.push(...readStep(only, index, { problems, before: steps, join }))
    else if (index === 0) join = { index, condition: parseExpression(only.value, problems) }
    else problems.add(only.place, '@join: expected as the first step only')
  }
  return { join, steps }
}

const isAggregateForm = (node: Located): boolean =>
  node.kind === 'map' &&
  node.entries.some(({ key }) => key === '@aggregate') &&
  node.entries.every(({ key }) => key === '@aggregate' || key === '@join')

function flatSteps(node: Located | undefined): readonly Located[] {
  if (node === undefined) return []
  if (node.kind === 'list') return node.items
  if (node.kind !== 'map' || !isAggregateForm(node)) return [node]
  const join = node.entries.find(({ key }) => key === '@join')
  const aggregate = node.entries.find(({ key }) => key === '@aggregate')
  return [
    ...(join === undefined ? [] : [{ kind: 'map', place: join.place, entries: [join] } as const]),
    ...(aggregate === undefined || isNull(aggregate.value) ? [] : flatSteps(aggregate.value)),
  ]
}

const isNull = (node: Located): boolean => node.kind === 'scalar' && node.value === null

interface StepContext {
  readonly problems: Problems
  readonly before: readonly StepSpec[]
  readonly join: JoinSpec | undefined
}

function readStep({ key, place, value }: LocatedEntry, index: number, context: StepContext): StepSpec[] {
  const { problems } = context
  switch (key) {
    case '@select':
      return [{ op: '@select', index, condition: parseExpression(value, problems) }]
    case '@project':
      return readProject(value, index, problems)
    case '@unwind':
    case '@demux':
      return readUnwind(value, index, problems)
    case '@gather':
    case '@mux':
      return readGather(value, index, context)
    default: {
      const similar = similarTo(key, OPS)
      const hint = similar === undefined ? `expected one of ${OPS.join(', ')}` : `did you mean ${similar}?`
      problems.add(place, `there is no pipeline step ${key}; ${hint}`)
      return []
    }
  }
}

function readProject(value: Located, index: number, problems: Problems): StepSpec[] {
  const parts = value.kind === 'list' ? value.items : [value]
  if (parts.length === 0)
    problems.add(value.place, '@project: expected a map or a list of maps, found an empty list')
  return [{ op: '@project', index, parts: parts.map((part) => parseExpression(part, problems)) }]
}

function readUnwind(value: Located, index: number, problems: Problems): StepSpec[] {
  if (value.kind !== 'scalar' || typeof value.value !== 'string' || !value.value.startsWith('$')) {
    problems.add(value.place, `@unwind: expected a JSONPath such as $.spec.ports, found ${describe(value)}`)
    return []
  }
  const path = parsePathText(value, problems)
  return path === undefined ? [] : [{ op: '@unwind', index, path }]
}

function readGather(value: Located, index: number, { problems, before, join }: StepContext): GatherSpec[] {
  const [keyNode, valueNode, ...more] = value.kind === 'list' ? value.items : []
  if (keyNode === undefined || valueNode === undefined || more.length > 0) {
    problems.add(value.place, `@gather: expected [key, value], found ${describe(value)}`)
    return []
  }
  const key = parseExpression(keyNode, problems)
  if (valueNode.kind !== 'scalar' || typeof valueNode.value !== 'string' || valueNode.value === '') {
    problems.add(valueNode.place, `@gather: expected a JSONPath as the value, found ${describe(valueNode)}`)
    return []
  }
  const parsed = parseExpression(valueNode, problems)
  const path = parsed.kind === 'path' ? parsed.path : parsePath(`$[${JSON.stringify(valueNode.value)}]`)
  const unwound = before.some((step) => step.op === '@unwind' && isDeepStrictEqual(step.path.path, path))
  return [{ op: '@gather', index, key, value: parsed, path, distinct: join !== undefined && unwound }]
}
