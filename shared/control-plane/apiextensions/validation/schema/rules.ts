import type { FieldError } from '../../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import type { Field } from '../../../apimachinery/validation/field.ts'
import type { CompiledRule, DeclaredSize, Expression } from '../../../cel/index.ts'
import type { SchemaTools } from '../../schema-tools.ts'
import { fieldPathOf } from '../../structural/field-path.ts'
import type { Rule, Schema } from '../../structural/schema.ts'
import { boundBelow, RuleCosts, validateCost } from './rule-costs.ts'

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired']

/** A schema in its place. */
interface Place {
  readonly schema: Schema
  readonly field: Field
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
export function ruleErrors(schema: Schema, field: Field, context: RuleContext): FieldError[] {
  const costs = new RuleCosts()
  const root = { schema, field, uncorrelated: undefined, bound: 1n }
  const { form, expressions } = errorsBelow(root, { ...context, costs })
  return [...form, ...expressions, ...field.collect((at) => costs.validate(at))]
}

type Context = RuleContext & { readonly costs: RuleCosts }

function errorsBelow(place: Place, context: Context): Found {
  const { schema, field } = place
  const below = schemasBelow(place).map((child) => errorsBelow(child, context))
  const form = [
    ...below.flatMap((found) => found.form),
    ...field.collect((at) => eachRule(at, schema, (rule, where) => validateForm(rule, schema, where))),
  ]
  const isWrong = form.length > 0 || context.found.some((error) => error.field.startsWith(field.path))
  const own =
    isWrong || !context.isReadable || schema.rules.length === 0
      ? []
      : field.collect((at) => validateExpressions(at, place, context))
  return { form, expressions: [...below.flatMap(({ expressions }) => expressions), ...own] }
}

function eachRule(field: Field, { rules }: Schema, validate: (rule: Rule, at: Field) => void): void {
  const list = field.child('x-kubernetes-validations')
  for (const [index, rule] of rules.entries()) validate(rule, list.item(index))
}

function schemasBelow({ schema, field, uncorrelated, bound: above }: Place): Place[] {
  const { items, additional, properties, listType } = schema
  const bound = boundBelow(schema, above)
  const barrier = listType === 'map' ? uncorrelated : (uncorrelated ?? field.path)
  const members = [...properties].map(([name, property]): Place => {
    return { schema: property, field: field.child('properties').key(name), uncorrelated, bound }
  })
  return [
    ...(additional === undefined || additional === 'any'
      ? []
      : [{ schema: additional, field: field.child('additionalProperties'), uncorrelated, bound }]),
    ...members,
    ...(items ? [{ schema: items, field: field.child('items'), uncorrelated: barrier, bound }] : []),
  ]
}

function validateExpressions(field: Field, { schema, uncorrelated, bound }: Place, context: Context): void {
  const size = context.tools.cel.cel.declaredSize(schema)
  eachRule(field, schema, (rule, at) => {
    const read = readRule(rule, schema, context.tools)
    const [ruleAt, messageAt] = [at.child('rule'), at.child('messageExpression')]
    if (read.rule && size) validateRuleCost(ruleAt, read.rule, { size, bound }, context)
    if (read.ruleError !== undefined) ruleAt.invalid(read.ruleError, shownRule(rule))
    if (read.messageError !== undefined) messageAt.invalid(read.messageError, shownRule(rule))
    // A message is made once, however many values there are.
    if (read.message && size) addCost(messageAt, context.tools.cel.cel.mostCost(read.message, size), context)
    validateOldSelf(at, rule, read.rule?.usesOldSelf === true, uncorrelated)
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

function validateRuleCost(
  field: Field,
  { expression }: CompiledRule,
  { size, bound }: { readonly size: DeclaredSize; readonly bound: bigint | undefined },
  context: Context,
): void {
  const { cel } = context.tools.cel
  addCost(field, cel.mostCost(expression, size) * (bound ?? cel.mostValues(size)), context)
}

function addCost(field: Field, cost: bigint, { costs, isStored }: Context): void {
  costs.add(field.path, cost)
  if (!isStored) validateCost(field, cost)
}

function validateOldSelf(
  at: Field,
  rule: Rule,
  usesOldSelf: boolean,
  uncorrelated: string | undefined,
): void {
  if (usesOldSelf && uncorrelated !== undefined)
    at.child('rule').invalid(
      `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`,
      rule.rule,
    )
  if (!usesOldSelf && rule.optionalOldSelf !== undefined)
    at.child('optionalOldSelf').invalid('may not be set if oldSelf is not used in rule', rule.optionalOldSelf)
}

const LINE_BREAK = /[\n\r]/

function validateForm(rule: Rule, schema: Schema, at: Field): void {
  const { messageExpression, reason } = rule
  validateTexts(rule, at)
  if (messageExpression !== '' && messageExpression.trim() === '')
    at.child('messageExpression').required('messageExpression must be non-empty if specified')
  if (reason !== undefined) at.child('reason').with(reason).oneOf(REASONS)
  const path = at.child('fieldPath').with(rule.fieldPath)
  if (path.text === '') return
  if (path.text.trim() === '') path.invalid('must be non-empty if specified')
  if (LINE_BREAK.test(path.text)) path.invalid('must not contain line breaks')
  if (fieldPathOf(schema, path.text) === undefined) path.invalid('must be a valid path')
}

/** Reports the first error of a rule and its message. */
function validateTexts({ rule, message }: Rule, at: Field): void {
  const [trimmed, field] = [message.trim(), at.child('message').with(message)]
  if (rule.trim() === '') at.child('rule').required('rule is not specified')
  else if (message !== '' && trimmed === '') field.invalid('must be non-empty if specified')
  else if (LINE_BREAK.test(trimmed)) field.invalid('must not contain line breaks')
  else if (LINE_BREAK.test(rule.trim()) && trimmed === '')
    field.required('message must be specified if rule contains line breaks')
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
