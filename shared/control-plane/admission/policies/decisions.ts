import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { stringAt } from '../../apimachinery/json/values.ts'
import {
  Activation,
  CelError,
  type CelValue,
  CostBudget,
  type ExpressionInput,
  meetsAll,
  OutOfBudgetError,
} from '../../cel/index.ts'
import type { CompiledPolicy, CompiledValidatingPolicy, MaybeExpression } from './compiled.ts'

/** Longest message that an expression may make, in bytes. */
const LONGEST_MESSAGE = 5 * 1024

/** Result of one validation of a policy. */
export type PolicyDecision =
  | { readonly kind: 'admit' }
  | { readonly kind: 'deny'; readonly message: string; readonly reason: string }
  /** The failurePolicy decides. */
  | { readonly kind: 'error'; readonly message: string }

export interface PolicyResult {
  readonly decisions: readonly PolicyDecision[]
  readonly annotations: readonly { readonly key: string; readonly value: string }[]
  /** Annotations that could not be made. */
  readonly errors: readonly string[]
}

const NOTHING: PolicyResult = { decisions: [], annotations: [], errors: [] }
const failed = (message: string): PolicyResult => ({ ...NOTHING, decisions: [{ kind: 'error', message }] })

/** Validates a request by a validating policy. */
export function validateByPolicy(policy: CompiledValidatingPolicy, input: ExpressionInput): PolicyResult {
  const met = conditionsMet(policy, input)
  if (typeof met === 'string') return failed(met)
  if (!met) return NOTHING
  try {
    const budget = new CostBudget()
    const activation = new Activation(input, policy.variables, budget)
    const outcomes = policy.validations.map(({ expression }) => outcomeOf(activation, expression))
    const messages = messagesOf(policy, new Activation(input, policy.variables, budget))
    const decisions = policy.validations.map(({ source }, index) =>
      decisionOf(outcomes[index], source, messages instanceof CelError ? messages : messages[index]),
    )
    return { decisions, ...annotationsOf(policy, input) }
  } catch (error) {
    if (error instanceof OutOfBudgetError) return failed(error.message)
    throw error
  }
}

/** Reports whether the match conditions are met; a text if they fail, and the failurePolicy decides. */
export function conditionsMet({ conditions }: CompiledPolicy, input: ExpressionInput): boolean | string {
  const met = meetsAll(conditions, { ...input, namespaceObject: undefined })
  if (typeof met === 'boolean') return met
  const texts = [...new Set(met)]
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`
}

type Outcome = { readonly value: CelValue } | { readonly error: string }

function outcomeOf(activation: Activation, expression: MaybeExpression): Outcome {
  if (expression instanceof CelError) return { error: `compilation error: ${expression.message}` }
  try {
    return { value: activation.evaluate(expression) }
  } catch (error) {
    if (!(error instanceof CelError) || error instanceof OutOfBudgetError) throw error
    return { error: error.message }
  }
}

/** Evaluates the messages of all validations. If their budget is spent, each of them gets that error. */
function messagesOf(
  policy: CompiledValidatingPolicy,
  activation: Activation,
): readonly (Outcome | undefined)[] | CelError {
  try {
    return policy.validations.map(({ message }) => message && outcomeOf(activation, message))
  } catch (error) {
    if (error instanceof OutOfBudgetError) return error
    throw error
  }
}

function decisionOf(
  outcome: Outcome | undefined,
  validation: JsonObject,
  message: Outcome | CelError | undefined,
): PolicyDecision {
  if (!outcome || 'error' in outcome) return { kind: 'error', message: outcome?.error ?? '' }
  if (message instanceof CelError)
    return { kind: 'error', message: `failed messageExpression: ${message.message}` }
  if (outcome.value === true) return { kind: 'admit' }
  return {
    kind: 'deny',
    message: messageOf(validation, message),
    reason: stringAt(validation, 'reason') || 'Invalid',
  }
}

function messageOf(validation: JsonObject, made: Outcome | undefined): string {
  const text = made && 'value' in made && typeof made.value === 'string' ? made.value.trim() : ''
  const fits = text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= LONGEST_MESSAGE
  if (fits) return text
  return (
    stringAt(validation, 'message').trim() ||
    `failed expression: ${stringAt(validation, 'expression').trim()}`
  )
}

function annotationsOf(
  policy: CompiledValidatingPolicy,
  input: ExpressionInput,
): Pick<PolicyResult, 'annotations' | 'errors'> {
  const activation = new Activation(input, policy.variables, new CostBudget())
  const annotations: { key: string; value: string }[] = []
  const errors: string[] = []
  for (const { key, expression } of policy.annotations) {
    const outcome = outcomeOf(activation, expression)
    if ('error' in outcome) errors.push(outcome.error)
    else if (typeof outcome.value === 'string' && outcome.value.trim() !== '')
      annotations.push({ key, value: outcome.value.trim() })
  }
  return { annotations, errors }
}
