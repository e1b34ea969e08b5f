import { type FieldError, invalidValue, notSupported, required } from '../../errors/index.ts'
import type { JsonObject } from '../../json.ts'
import type { Rule, Schema } from '../../structural/index.ts'
import type { SchemaTools } from '../schema-tools.ts'

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired']

/** Where a schema stands, and whether old and new values of it can be told to be the same field. */
interface Place {
  readonly at: string
  /** The path of what keeps them from being told apart. */
  readonly uncorrelated?: string
}

/** `x-kubernetes-validations` of a schema and of all below it (KEP-2876). */
export function ruleErrors(_source: JsonObject, at: string, root: Schema, tools: SchemaTools): FieldError[] {
  return errorsBelow(root, { at }, tools)
}

function errorsBelow(schema: Schema, place: Place, tools: SchemaTools): FieldError[] {
  const { at, uncorrelated } = place
  const { items, additional, properties, listType } = schema
  const below = (child: Schema, path: string, barrier = uncorrelated): FieldError[] =>
    errorsBelow(child, { at: path, ...(barrier === undefined ? {} : { uncorrelated: barrier }) }, tools)
  return [
    ...schema.rules.flatMap((rule, index) =>
      oneRule(rule, schema, { ...place, at: `${at}.x-kubernetes-validations[${index}]` }, tools),
    ),
    ...(items ? below(items, `${at}.items`, listType === 'map' ? uncorrelated : (uncorrelated ?? at)) : []),
    ...[...properties].flatMap(([name, property]) => below(property, `${at}.properties[${name}]`)),
    ...(additional === undefined || additional === 'any'
      ? []
      : below(additional, `${at}.additionalProperties`)),
  ]
}

function oneRule(rule: Rule, schema: Schema, { at, uncorrelated }: Place, tools: SchemaTools): FieldError[] {
  const form = formErrors(rule, schema, at)
  if (form.length > 0) return form
  const shown = shownRule(rule)
  try {
    const { usesOldSelf } = tools.rules().compileRule(rule, schema)
    if (usesOldSelf && uncorrelated !== undefined) {
      const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`
      return [invalidValue(`${at}.rule`, rule.rule, why)]
    }
    if (!usesOldSelf && rule.optionalOldSelf)
      return [invalidValue(`${at}.optionalOldSelf`, true, 'may not be set if oldSelf is not used in rule')]
  } catch (error) {
    if (!(error instanceof tools.cel.cel.CelError)) throw error
    return [invalidValue(`${at}.rule`, shown, error.message)]
  }
  try {
    tools.rules().compileMessage(rule, schema)
    return []
  } catch (error) {
    if (!(error instanceof tools.cel.cel.CelError)) throw error
    return [invalidValue(`${at}.messageExpression`, shown, error.message)]
  }
}

function formErrors(rule: Rule, schema: Schema, at: string): FieldError[] {
  const lineBreak = /[\n\r]/
  if (rule.rule === '') return [required(`${at}.rule`, 'rule is not specified')]
  return [
    ...(lineBreak.test(rule.message)
      ? [invalidValue(`${at}.message`, rule.message, 'must not contain line breaks')]
      : []),
    ...(lineBreak.test(rule.rule) && rule.message === ''
      ? [required(`${at}.message`, 'message must be specified if rule contains line breaks')]
      : []),
    ...(rule.reason !== '' && !REASONS.includes(rule.reason)
      ? [notSupported(`${at}.reason`, rule.reason, REASONS)]
      : []),
    ...(rule.fieldPath !== '' && !hasField(schema, rule.fieldPath)
      ? [invalidValue(`${at}.fieldPath`, rule.fieldPath, 'must be a valid path')]
      : []),
  ]
}

/** A path such as `.spec.replicas` or `.spec['a.b']`. */
function hasField(schema: Schema, path: string): boolean {
  const steps = [...path.matchAll(/\.([^.[\]']+)|\['((?:[^'\\]|\\.)*)'\]/g)]
  if (steps.map(([text]) => text).join('') !== path) return false
  let current: Schema | undefined = schema
  for (const [, name, quoted = ''] of steps) {
    const { properties, additional }: Schema = current
    current = properties.get(name ?? quoted) ?? (additional === 'any' ? undefined : additional)
    if (!current) return false
  }
  return true
}

/** As upstream prints a rule: its Go struct. */
function shownRule(rule: Rule): JsonObject {
  return {
    Rule: rule.rule,
    Message: rule.message,
    MessageExpression: rule.messageExpression,
    Reason: rule.reason || null,
    FieldPath: rule.fieldPath,
    OptionalOldSelf: rule.optionalOldSelf || null,
  }
}
