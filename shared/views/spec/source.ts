import type { LabelRequirement } from '../../kubernetes/index.ts'
import { EvaluationError } from '../errors.ts'
import { labelRequirements } from '../expressions/index.ts'
import { describe, entryOf, type Located, type LocatedMap, type Problems, plain } from '../source/index.ts'
import { asMap, checkKeys, choiceField, mapField, textField } from './fields.ts'
import { readPredicate } from './predicate.ts'
import { RESOURCE_FIELDS, readResource } from './resource.ts'
import type { SourceSpec } from './spec.ts'

const TYPES = ['Watcher', 'OneShot', 'Periodic'] as const
const FIELDS = [...RESOURCE_FIELDS, 'type', 'namespace', 'labelSelector', 'predicate', 'parameters']
const SELECTOR_FIELDS = ['matchLabels', 'matchExpressions']
const DEFAULT_PERIOD_MS = 5 * 60_000
/** Node's timers hold no more. */
const MAX_PERIOD_MS = 2 ** 31 - 1

export function readSource(node: Located, operator: string, problems: Problems): SourceSpec | undefined {
  const map = asMap(node, 'source', problems)
  if (map === undefined) return undefined
  checkKeys(map, FIELDS, problems)
  const type = choiceField(map, 'type', TYPES, problems) ?? 'Watcher'
  const predicate = entryOf(map, 'predicate')
  const resource = readResource(map, operator, problems)
  const more = {
    type,
    namespace: textField(map, 'namespace', problems) || undefined,
    labelSelector: readSelector(map, problems),
    predicate: predicate === undefined ? undefined : readPredicate(predicate, problems),
    periodMs: readPeriod(map, problems),
  }
  return resource === undefined ? undefined : { ...resource, ...more }
}

function readSelector(map: LocatedMap, problems: Problems): LabelRequirement[] {
  const node = mapField(map, 'labelSelector', problems)
  if (node === undefined) return []
  checkKeys(node, SELECTOR_FIELDS, problems)
  try {
    // Unlike in @selector, other keys are none of its business here.
    const { entries } = node
    const known = entries.filter(({ key }) => SELECTOR_FIELDS.includes(key))
    return known.length === 0 ? [] : labelRequirements(plain({ ...node, entries: known }))
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error
    problems.add(node.place, error.message)
    return []
  }
}

function readPeriod(map: LocatedMap, problems: Problems): number {
  const parameters = mapField(map, 'parameters', problems)
  const node = parameters === undefined ? undefined : entryOf(parameters, 'period')
  if (node === undefined) return DEFAULT_PERIOD_MS
  const text = node.kind === 'scalar' && typeof node.value === 'string' ? node.value : ''
  const periodMs = parseDuration(text)
  if (periodMs !== undefined && periodMs >= 1 && periodMs <= MAX_PERIOD_MS) return periodMs
  problems.add(node.place, `period: expected 1ms to 596h, such as 1m30s, found ${describe(node)}`)
  return DEFAULT_PERIOD_MS
}

const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
}
const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y

/** Parses a duration as Go writes it, such as `1m30s`, into milliseconds. Returns undefined if it is none. */
function parseDuration(text: string): number | undefined {
  let total = 0
  let position = 0
  while (position < text.length) {
    PART.lastIndex = position
    const [part, number, unit] = PART.exec(text) ?? []
    if (part === undefined) return undefined
    total += Number(number) * (UNITS[unit ?? ''] ?? 0)
    position += part.length
  }
  return position === 0 ? undefined : total
}
