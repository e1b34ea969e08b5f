import { type FieldError, invalidValue, notSupported, required } from '../../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import type { CompiledRule, DeclaredSize, Expression } from '../../../cel/index.ts'
import type { SchemaTools } from '../../schema-tools.ts'
import { fieldPathOf } from '../../structural/field-path.ts'
import type { Rule, Schema } from '../../structural/schema.ts'
import { boundBelow, costErrors, RuleCosts } from './rule-costs.ts'

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired']

/** Place of a schema. */
interface Place {
  readonly at: string
  /** The path of what prevents the correlation of old and new values; undefined where nothing does. */
  readonly uncorrelated: string | undefined
  /** Number of the schema's values that an object can have; undefined if nothing bounds it. */
  readonly bound: bigint | undefined
}

interface RuleContext {
  readonly tools: SchemaTools
  /** Other errors of the schema. Expressions are read only if there are none, there and below. */
  readonly found: readonly FieldError[]
  /** False where the schema is so wrong that no expression can be read. */
  readonly isReadable: boolean
  /** True for a schema that is stored already: then no expression alone is too dear. */
  readonly isStored: boolean
}

/** Errors in the form of rules, and in their expressions. */
interface Found {
  readonly form: readonly FieldError[]
  readonly expressions: readonly FieldError[]
}

/** Validates `x-kubernetes-validations` of a schema and of all below it (KEP-2876), and their costs. */
export function ruleErrors(root: Schema, at: string, context: RuleContext): FieldError[] {
  const costs = new RuleCosts()
  const { form, expressions } = errorsBelow(
    root,
    { at, uncorrelated: undefined, bound: 1n },
    { ...context, costs },
  )
  return [...form, ...expressions, ...costs.errors(at)]
}

type Context = RuleContext & { readonly costs: RuleCosts }

function errorsBelow(schema: Schema, place: Place, context: Context): Found {
  const below = schemasBelow(schema, place).map(([child, where]) => errorsBelow(child, where, context))
  const form = [
    ...below.flatMap((found) => found.form),
    ...schema.rules.flatMap((rule, index) => formErrors(rule, schema, ruleAt(place, index))),
  ]
  const isWrong = form.length > 0 || context.found.some(({ field }) => field.startsWith(place.at))
  const own = isWrong || !context.isReadable ? [] : expressionErrors(schema, place, context)
  return { form, expressions: [...below.flatMap(({ expressions }) => expressions), ...own] }
}

const ruleAt = ({ at }: Place, index: number): string => `${at}.x-kubernetes-validations[${index}]`

function schemasBelow(schema: Schema, place: Place): [Schema, Place][] {
  const { items, additional, properties, listType } = schema
  const { at, uncorrelated } = place
  const bound = boundBelow(schema, place.bound)
  const barrier = listType === 'map' ? uncorrelated : (uncorrelated ?? at)
  return [
    ...(additional === undefined || additional === 'any'
      ? []
      : [[additional, { at: `${at}.additionalProperties`, uncorrelated, bound }] satisfies [Schema, Place]]),
    ...[...properties].map(([name, property]): [Schema, Place] => [
      property,
      { at: `${at}.properties[${name}]`, uncorrelated, bound },
    ]),
    ...(items
      ? [[items, { at: `${at}.items`, uncorrelated: barrier, bound }] satisfies [Schema, Place]]
      : []),
  ]
}

function expressionErrors(schema: Schema, place: Place, context: Context): FieldError[] {
  if (schema.rules.length === 0) return []
  const size = context.tools.cel.cel.declaredSize(schema)
  return schema.rules.flatMap((rule, index) => {
    const at = ruleAt(place, index)
    const read = readRule(rule, schema, context.tools)
    return [
      ...(read.rule ? ruleCostErrors(`${at}.rule`, read.rule, { size, bound: place.bound }, context) : []),
      ...(read.ruleError === undefined ? [] : [invalidValue(`${at}.rule`, shownRule(rule), read.ruleError)]),
      ...messageErrors(rule, read, { at: `${at}.messageExpression`, size }, context),
      ...oldSelfErrors(rule, read.rule?.usesOldSelf === true, { ...place, at }),
    ]
  })
}

/** Parts of a rule that were read, and why the others could not be. */
interface ReadRule {
  readonly rule?: CompiledRule
  readonly ruleError?: string
  readonly message?: Expression
  readonly messageError?: string
}

function readRule(rule: Rule, schema: Schema, tools: SchemaTools): ReadRule {
  const { CelError } = tools.cel.cel
  let compiled: CompiledRule | undefined
  try {
    compiled = tools.rules().compileRule(rule, schema)
    const message = tools.rules().compileMessage(rule, schema)
    return { rule: compiled, ...(message ? { message } : {}) }
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    return compiled ? { rule: compiled, messageError: error.message } : { ruleError: error.message }
  }
}

function ruleCostErrors(
  at: string,
  { expression }: CompiledRule,
  { size, bound }: { readonly size: DeclaredSize | undefined; readonly bound: bigint | undefined },
  { tools, costs, isStored }: Context,
): FieldError[] {
  if (!size) return []
  const cost = tools.cel.cel.mostCost(expression, size) * (bound ?? tools.cel.cel.mostValues(size))
  costs.add(at, cost)
  return isStored ? [] : costErrors(at, 'rule', cost)
}

/** Validates a message, which is made once, however many values there are. */
function messageErrors(
  rule: Rule,
  { message, messageError }: ReadRule,
  { at, size }: { readonly at: string; readonly size: DeclaredSize | undefined },
  { tools, costs, isStored }: Context,
): FieldError[] {
  if (messageError !== undefined) return [invalidValue(at, shownRule(rule), messageError)]
  if (!message || !size) return []
  const cost = tools.cel.cel.mostCost(message, size)
  costs.add(at, cost)
  return isStored ? [] : costErrors(at, 'messageExpression', cost)
}

function oldSelfErrors(rule: Rule, usesOldSelf: boolean, { at, uncorrelated }: Place): FieldError[] {
  if (usesOldSelf && uncorrelated !== undefined) {
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`
    return [invalidValue(`${at}.rule`, rule.rule, why)]
  }
  const { optionalOldSelf } = rule
  if (usesOldSelf || optionalOldSelf === undefined) return []
  const why = 'may not be set if oldSelf is not used in rule'
  return [invalidValue(`${at}.optionalOldSelf`, optionalOldSelf, why)]
}

const LINE_BREAK = /[\n\r]/

function formErrors(rule: Rule, schema: Schema, at: string): FieldError[] {
  const { messageExpression, reason } = rule
  return [
    ...textErrors(rule, at),
    ...(messageExpression !== '' && messageExpression.trim() === ''
      ? [required(`${at}.messageExpression`, 'messageExpression must be non-empty if specified')]
      : []),
    ...(reason !== undefined && !REASONS.includes(reason)
      ? [notSupported(`${at}.reason`, reason, REASONS)]
      : []),
    ...fieldPathErrors(rule, schema, `${at}.fieldPath`),
  ]
}

/** Returns the first error of a rule and its message. */
function textErrors({ rule, message }: Rule, at: string): FieldError[] {
  const trimmed = message.trim()
  if (rule.trim() === '') return [required(`${at}.rule`, 'rule is not specified')]
  if (message !== '' && trimmed === '')
    return [invalidValue(`${at}.message`, message, 'must be non-empty if specified')]
  if (LINE_BREAK.test(trimmed))
    return [invalidValue(`${at}.message`, message, 'must not contain line breaks')]
  return LINE_BREAK.test(rule.trim()) && trimmed === ''
    ? [required(`${at}.message`, 'message must be specified if rule contains line breaks')]
    : []
}

function fieldPathErrors({ fieldPath }: Rule, schema: Schema, at: string): FieldError[] {
  if (fieldPath === '') return []
  return [
    ...(fieldPath.trim() === '' ? [invalidValue(at, fieldPath, 'must be non-empty if specified')] : []),
    ...(LINE_BREAK.test(fieldPath) ? [invalidValue(at, fieldPath, 'must not contain line breaks')] : []),
    ...(fieldPathOf(schema, fieldPath) !== undefined
      ? []
      : [invalidValue(at, fieldPath, 'must be a valid path')]),
  ]
}

/** Formats a rule as upstream prints its Go struct. */
function shownRule(rule: Rule): JsonObject {
  return {
    Rule: rule.rule,
    Message: rule.message,
    MessageExpression: rule.messageExpression,
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath,
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  }
}
