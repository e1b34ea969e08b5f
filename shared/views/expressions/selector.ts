import { EXPRESSION_OPERATORS, type LabelRequirement, matchesLabels } from '../../kubernetes/index.ts'
import { EvaluationError } from '../errors.ts'
import { isList, isObject, type Json, type JsonObject, member } from '../json/index.ts'
import { wrong } from './convert.ts'

/**
 * Reports whether a label selector (`{matchLabels, matchExpressions}`, or a map of required labels) selects
 * labels. False if either is null.
 */
export function selects(selector: Json, labels: Json): boolean {
  if (selector === null || labels === null) return false
  if (!isObject(labels)) throw wrong('@selector', 'a map of labels', labels)
  return matchesLabels(labelRequirements(selector), labelsOf(labels))
}

/** Returns labels as texts, without a prototype whose members would count as labels. */
export function labelsOf(labels: JsonObject): Record<string, string> {
  const texts: Record<string, string> = Object.create(null)
  for (const [key, value] of Object.entries(labels)) texts[key] = textOf(value)
  return texts
}

const OPERATORS: ReadonlyMap<Json, LabelRequirement['operator']> = new Map(
  Object.entries(EXPRESSION_OPERATORS),
)

/** @throws EvaluationError if it is no label selector */
export function labelRequirements(selector: Json): LabelRequirement[] {
  if (!isObject(selector)) throw wrong('label selector', 'a map', selector)
  const labels = member(selector, 'matchLabels')
  const expressions = member(selector, 'matchExpressions')
  if (labels === undefined && expressions === undefined) return equalities(selector)
  return [...equalities(labels ?? {}), ...listOf(expressions ?? []).map(requirement)]
}

function equalities(labels: Json): LabelRequirement[] {
  if (!isObject(labels)) throw wrong('label selector', 'a map of labels', labels)
  return Object.entries(labels).map(([key, value]) => ({ key, operator: 'in', values: [textOf(value)] }))
}

function requirement(expression: Json): LabelRequirement {
  if (!isObject(expression)) throw wrong('label selector', 'a map with key and operator', expression)
  const key = member(expression, 'key') ?? null
  const operator = OPERATORS.get(member(expression, 'operator') ?? null)
  if (typeof key !== 'string') throw wrong('label selector', 'a text as key', key)
  if (operator === undefined) {
    const found = member(expression, 'operator') ?? null
    throw wrong('label selector', 'one of the operators In, NotIn, Exists and DoesNotExist', found)
  }
  const values = listOf(member(expression, 'values') ?? []).map(textOf)
  if ((operator === 'in' || operator === 'notin') && values.length === 0) {
    throw new EvaluationError(`label selector: expected values for ${key}`)
  }
  return { key, operator, values }
}

function listOf(value: Json): readonly Json[] {
  if (isList(value)) return value
  throw wrong('label selector', 'a list', value)
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))
